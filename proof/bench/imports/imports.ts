/** Imports compared with `copy` of the same file into bare tables, and their effect on orders. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOperatorClient } from '@parts-ordering/client/operator'
import { Client } from 'pg'
import { operatorKey } from '../load/operator-key.ts'
import { createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { memoryMb } from '../process-usage.ts'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { serviceSide } from '../run/measure.ts'
import { median } from '../run/median.ts'
import { operationNamed } from '../run/operations.ts'
import { clientsOf, closeBench, openBench } from '../run/prepare.ts'
import { runProgram } from '../run/program.ts'
import { introduce, startServiceProcess, type ServiceProcess } from '../run/service-process.ts'
import { saveResults } from '../results.ts'
import { writeKeys } from '../run/wrk.ts'
import { brandNames, writeItems, writeLevels, writePrices, type ImportFile } from './files.ts'

export interface ImportsBenchmark {
  readonly items: number
  readonly withCopy: boolean
  readonly ordersDatabase: string | undefined
}

export async function measureImports({ items, withCopy, ordersDatabase }: ImportsBenchmark): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-imports-'))
  try {
    const results = {
      ...(withCopy && (await compareWithCopy(items, folder))),
      ...(ordersDatabase !== undefined && { orders: await ordersDuringImport(ordersDatabase, items, folder) }),
    }
    saveResults('imports', results)
    process.stdout.write(`${JSON.stringify(results)}\n`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const show = (line: string): void => void process.stderr.write(`${line}\n`)

/** The tables that the files describe, with the keys and constraints of the service's tables and nothing else. */
const bareSql = `
  create schema bare;
  create table bare.brands (brand_name text primary key);
  create table bare.products (product_id bigint primary key, product_name text not null);
  create table bare.items (
    item_id bigint primary key, item_vendor_code text not null, item_barcode text not null, item_title text not null,
    brand_name text not null references bare.brands, product_id bigint not null references bare.products,
    product_name text, on_sale boolean not null
  );
  create index on bare.items (brand_name, item_id);
  create table bare.price_lists (price_list_id bigint primary key);
  create table bare.prices (
    price_list_id bigint not null references bare.price_lists, item_id bigint not null references bare.items,
    price numeric(15, 4) not null check (price >= 0), primary key (price_list_id, item_id)
  );
  create table bare.stocks (stock_id bigint primary key);
  create table bare.stock_levels (
    stock_id bigint not null references bare.stocks, item_id bigint not null references bare.items,
    on_hand bigint not null check (on_hand >= 0), reserved bigint not null default 0,
    back_order boolean not null default false,
    primary key (stock_id, item_id), check (reserved >= 0 and (back_order or reserved <= on_hand))
  ) with (fillfactor = 70);`

const bareTables = { items: 'bare.items', prices: 'bare.prices', 'stock-levels': 'bare.stock_levels' }

const referenceSql = `
  insert into currencies values ('EUR', 2, 1);
  insert into price_lists (price_list_id, price_list_name, currency_code)
  select n, 'List ' || n, 'EUR' from generate_series(1, 3) n;
  insert into stocks (stock_id, stock_name) select n, 'Stock ' || n from generate_series(1, 3) n;
  insert into bare.price_lists select generate_series(1, 3);
  insert into bare.stocks select generate_series(1, 3);`

interface Comparison {
  readonly what: string
  readonly rows: number
  readonly copyPerSecond: number
  readonly importPerSecond: number
  readonly ratio: number
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

const copy = (url: string, { path, kind }: ImportFile): Promise<string> => {
  const columns = readFileSync(path, 'utf8').slice(0, 200).split('\n', 1)[0]
  return runProgram(
    'psql',
    ['-qc', `\\copy ${bareTables[kind]} (${columns}) from '${path}' csv header`, url],
    {},
    () => undefined,
  )
}

/** Sends the file and waits until the import is finished. */
async function send({ address }: ServiceProcess, key: string, { path, kind, rows }: ImportFile): Promise<void> {
  const output = await runProgram(
    'curl',
    [
      '-sS',
      '-X',
      'POST',
      '-T',
      path,
      '-H',
      `authorization: ${key}`,
      '-H',
      'content-type: text/csv',
      '-H',
      'expect:',
      `${address}/operator/v1/imports/${kind}?wait=0`,
    ],
    {},
    () => undefined,
  )
  const { import_id } = (JSON.parse(output) as { data: { import_id: number } }).data
  const operator = createOperatorClient({ url: address, key })
  for (;;) {
    const data = await operator.readImport({ import_id, wait: 20 })
    if (data.finished_at === null) continue
    if (data.import_state !== 'done' || data.rows !== rows) throw new Error(JSON.stringify(data))
    return
  }
}

/** Into empty tables first; then unchanged, and with every price and level changed. */
async function compareWithCopy(items: number, folder: string): Promise<{ comparisons: Comparison[]; peakMb: number }> {
  const url = databaseUrl('parts_bench_imports')
  await createDatabase(url, true)
  await migrate(url, () => undefined)
  const session = new Client({ connectionString: url })
  await session.connect()
  await session.query(bareSql + referenceSql)
  await session.query('insert into bare.brands select unnest($1::text[])', [brandNames])
  await session.query("insert into bare.products select n, 'Product ' || n from generate_series(1, $1::int) n", [items])
  const key = await operatorKey(url)
  const service = await startServiceProcess(url)
  const comparisons: Comparison[] = []
  try {
    for (const make of [writeItems, writePrices, writeLevels]) {
      const file = await make(folder, items)
      const copySeconds = await timed(() => copy(url, file))
      const importSeconds = await timed(() => send(service, key, file))
      comparisons.push(compared(`${file.kind}, new`, file.rows, copySeconds, importSeconds))
      await session.query(`vacuum analyze`)
    }
    const total = (of: 'copyPerSecond' | 'importPerSecond'): number =>
      comparisons.reduce((sum, one) => sum + one.rows / one[of], 0)
    comparisons.push(compared('total', items * 7, total('copyPerSecond'), total('importPerSecond')))
    for (const make of [writePrices, writeLevels]) {
      for (const [what, shift] of [
        ['unchanged', 0],
        ['all changed', 1],
      ] as const) {
        const file = await make(folder, items, shift)
        const importSeconds = await timed(() => send(service, key, file))
        const found = comparisons.find((one) => one.what === `${file.kind}, new`)
        comparisons.push(
          compared(`${file.kind}, ${what}`, file.rows, file.rows / (found?.copyPerSecond ?? 1), importSeconds),
        )
      }
    }
    return { comparisons, peakMb: memoryMb(service.pid, 'VmHWM') }
  } finally {
    await service.stop()
    await session.end()
    await dropDatabase(url)
  }
}

function compared(what: string, rows: number, copySeconds: number, importSeconds: number): Comparison {
  const result = {
    what,
    rows,
    copyPerSecond: Math.round(rows / copySeconds),
    importPerSecond: Math.round(rows / importSeconds),
    ratio: Number((copySeconds / importSeconds).toFixed(2)),
  }
  show(
    `${what.padEnd(28)} ${String(rows).padStart(9)} rows   copy ${String(result.copyPerSecond).padStart(8)}/s   import ${String(result.importPerSecond).padStart(8)}/s   ${result.ratio}`,
  )
  return result
}

/** Orders of five lines alone, and while all levels or prices of their items are imported. */
async function ordersDuringImport(database: string, items: number, folder: string): Promise<object> {
  const url = databaseUrl(database)
  await migrate(url, () => undefined)
  const key = await operatorKey(url)
  const bench = await openBench(url)
  const service = await startServiceProcess(url)
  try {
    writeKeys(folder, bench.sizes.clients)
    const place = serviceSide(bench, operationNamed('place-order-5'), { folder, service })
    await introduce(service.address, clientsOf(bench))
    await place(2)
    const rounds: { alone: number; during: number; alone_p99: number; during_p99: number }[] = []
    for (let round = 0; round < 3; round++) {
      const alone = await place(seconds)
      const file = await (round % 2 === 0 ? writeLevels : writePrices)(folder, items, 1_000_000 + round)
      let finished = false
      const importing = send(service, key, file).finally(() => (finished = true))
      const during = await place(seconds)
      if (finished) throw new Error('The import finished before the orders did: use more --items.')
      await importing
      rounds.push({
        alone: alone.perSecond,
        during: during.perSecond,
        alone_p99: alone.rate.p99Ms,
        during_p99: during.rate.p99Ms,
      })
      show(
        `orders alone ${alone.perSecond.toFixed(0)}/s, p99 ${alone.rate.p99Ms} ms; during an import of ${file.kind} ${during.perSecond.toFixed(0)}/s, p99 ${during.rate.p99Ms} ms`,
      )
    }
    const medianOf = (of: (round: (typeof rounds)[number]) => number): number =>
      Number(median(rounds.map(of)).toFixed(2))
    return {
      rounds,
      rate: medianOf(({ alone, during }) => during / alone),
      p99: medianOf(({ alone_p99, during_p99 }) => during_p99 / alone_p99),
    }
  } finally {
    await service.stop()
    await closeBench(bench)
  }
}

const seconds = 10
