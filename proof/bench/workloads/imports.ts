/** Imports compared with `copy` of the same file into bare tables, and their effect on orders. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOperatorClient } from '@parts-ordering/client/operator'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { brandNames, writeItems, writeLevels, writePrices, type ImportFile } from '../imports/files.ts'
import { createDatabase, databaseUrl, dropDatabase, inSession } from '../load/databases.ts'
import { operatorKey } from '../load/operator-key.ts'
import { memoryMb } from '../process-usage.ts'
import { median, rounded } from '../run/figures.ts'
import { serviceSide } from '../run/measure.ts'
import { operationNamed } from '../run/operations.ts'
import { openService } from '../run/prepare.ts'
import { runProgram } from '../run/program.ts'
import { startServiceProcess } from '../run/service-process.ts'
import { integer, text, workload, WrongUse } from '../workload.ts'

type Show = (line: string) => void

export default workload({
  options: {
    items: integer(1_000_000, 'items; prices and stock levels are three each'),
    'orders-database': text('NAME', 'also place orders in this loaded database, alone and during an import'),
    only: text('PART', 'copy or orders (default: both)'),
  },
  notes: [
    'The comparison with `\\copy` creates and drops the database parts_bench_imports.',
    'Needs psql and curl, and wrk for orders. A million items take about a quarter of an hour.',
  ],
  examples: ['imports --items 100000', 'imports --only orders --orders-database parts_bench_1m'],
  run: async ({ items, 'orders-database': database, only }, { show }) => {
    if (only !== undefined && !['copy', 'orders'].includes(only))
      throw new WrongUse(`--only must be copy or orders, not '${only}'.`)
    if (only === 'orders' && database === undefined) throw new WrongUse('--only orders needs --orders-database.')
    const folder = mkdtempSync(join(tmpdir(), 'parts-imports-'))
    try {
      const copied = only === 'orders' ? {} : await compareWithCopy(items, folder, show)
      if (only === 'copy' || database === undefined) return { results: copied }
      return { results: { ...copied, orders: await ordersDuringImport(database, items, folder, show) } }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
})

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

async function copy(url: string, { path, kind }: ImportFile): Promise<void> {
  const columns = readFileSync(path, 'utf8').slice(0, 200).split('\n', 1)[0]
  await runProgram('psql', ['-qc', `\\copy ${bareTables[kind]} (${columns}) from '${path}' csv header`, url])
}

/** Sends the file and waits until the import is finished. */
async function send(address: string, key: string, { path, kind, rows }: ImportFile): Promise<void> {
  const headers = [`authorization: ${key}`, 'content-type: text/csv', 'expect:'].flatMap((header) => ['-H', header])
  const url = `${address}/operator/v1/imports/${kind}?wait=0`
  const output = await runProgram('curl', ['-sS', '-X', 'POST', '-T', path, ...headers, url])
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
async function compareWithCopy(
  items: number,
  folder: string,
  show: Show,
): Promise<{ comparisons: Comparison[]; peakMb: number }> {
  const url = databaseUrl('parts_bench_imports')
  await using opened = new AsyncDisposableStack()
  await createDatabase(url, true)
  opened.defer(() => dropDatabase(url))
  await migrate(url, () => undefined)
  await inSession(url, async (session) => {
    await session.query(bareSql + referenceSql)
    await session.query('insert into bare.brands select unnest($1::text[])', [brandNames])
    await session.query(`insert into bare.products select n, 'Product ' || n from generate_series(1, $1::int) n`, [
      items,
    ])
  })
  const key = await operatorKey(url)
  const service = await startServiceProcess(url)
  opened.defer(() => service.stop())
  const comparisons: Comparison[] = []
  const compare = (what: string, rows: number, copySeconds: number, importSeconds: number): void => {
    const [copyPerSecond, importPerSecond] = [Math.round(rows / copySeconds), Math.round(rows / importSeconds)]
    const ratio = rounded(copySeconds / importSeconds, 2)
    comparisons.push({ what, rows, copyPerSecond, importPerSecond, ratio })
    const figures = [`${rows} rows`, `copy ${copyPerSecond}/s`, `import ${importPerSecond}/s`, ratio]
    show(`${what.padEnd(28)}${figures.map((figure) => String(figure).padStart(18)).join('')}\n`)
  }
  const copied = new Map<ImportFile['kind'], number>()
  let imported = 0
  for (const make of [writeItems, writePrices, writeLevels]) {
    const file = await make(folder, items)
    const copySeconds = await timed(() => copy(url, file))
    const importSeconds = await timed(() => send(service.address, key, file))
    compare(`${file.kind}, new`, file.rows, copySeconds, importSeconds)
    copied.set(file.kind, copySeconds)
    imported += importSeconds
    await inSession(url, (session) => session.query('vacuum analyze'))
  }
  const total = [...copied.values()].reduce((sum, seconds) => sum + seconds, 0)
  compare('total', items * 7, total, imported)
  for (const make of [writePrices, writeLevels])
    for (const [shift, what] of ['unchanged', 'all changed'].entries()) {
      const file = await make(folder, items, shift)
      const importSeconds = await timed(() => send(service.address, key, file))
      compare(`${file.kind}, ${what}`, file.rows, copied.get(file.kind) ?? 1, importSeconds)
    }
  return { comparisons, peakMb: memoryMb(service.pid, 'VmHWM') }
}

const orderSeconds = 10

/** Orders of five lines alone, and while all levels or prices of their items are imported. */
async function ordersDuringImport(database: string, items: number, folder: string, show: Show): Promise<object> {
  const url = databaseUrl(database)
  await migrate(url, () => undefined)
  const key = await operatorKey(url)
  await using at = await openService(url)
  const place = serviceSide(at, operationNamed('place-order-5'))
  await place(2)
  const rounds: { alone: number; during: number; alone_p99: number; during_p99: number }[] = []
  for (let round = 0; round < 3; round++) {
    const alone = await place(orderSeconds)
    const file = await (round % 2 === 0 ? writeLevels : writePrices)(folder, items, 1_000_000 + round)
    let finished = false
    const importing = send(at.service.address, key, file).then(() => (finished = true))
    const placing = place(orderSeconds).then((during) => ({ during, isTooShort: finished }))
    const [{ during, isTooShort }] = await Promise.all([placing, importing])
    if (isTooShort) throw new Error('The import finished before the orders did: use more --items.')
    const [alone_p99, during_p99] = [alone.rate.p99_ms, during.rate.p99_ms]
    rounds.push({ alone: alone.perSecond, during: during.perSecond, alone_p99, during_p99 })
    show(
      `orders alone ${alone.perSecond.toFixed(0)}/s, p99 ${alone_p99} ms; during an import of ${file.kind} ${during.perSecond.toFixed(0)}/s, p99 ${during_p99} ms\n`,
    )
  }
  return {
    rounds,
    rate: rounded(median(rounds.map(({ alone, during }) => during / alone)), 2), // prettier-ignore
    p99: rounded(median(rounds.map(({ alone_p99, during_p99 }) => during_p99 / alone_p99)), 2), // prettier-ignore
  }
}
