/** Prepares a database for measuring: loads it if needed, and derives the numbers that operations use. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { createDatabase, databaseUrl, inSession } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { sizesOf, type Sizes } from '../load/sizes.ts'
import { clearCarts } from './material-carts.ts'
import type { Bench } from './operation.ts'
import { introduce, startServiceProcess, type ServiceOptions, type ServiceProcess } from './service-process.ts'
import { writeKeys } from './wrk.ts'
import { word, text, WrongUse } from '../workload.ts'

/** Sizes by number of orders: 100 orders per client and always a million items, so that only the orders differ. */
const known: Readonly<Record<string, { name: string; sizes: Sizes }>> = {
  2000: { name: 'parts_bench_smoke', sizes: sizesOf(2_000, 100, 10_000) },
  10000: { name: 'parts_bench_10k', sizes: sizesOf(10_000, 100, 1_000_000) },
  1000000: { name: 'parts_bench_1m', sizes: sizesOf(1_000_000, 10_000, 1_000_000) },
  10000000: { name: 'parts_bench_10m', sizes: sizesOf(10_000_000, 100_000, 1_000_000) },
}

export function sizeOf(orders: string): { name: string; sizes: Sizes } {
  const size = known[orders]
  if (size === undefined) throw new WrongUse(`The sizes are ${Object.keys(known).join(', ')}, not '${orders}'.`)
  return size
}

/** Options of workloads that measure one database. */
export const databaseOptions = {
  size: word(
    '1000000',
    'ORDERS',
    'size of the database: 2000, 10000, 1000000 or 10000000 orders; loaded first if it does not exist',
  ),
  database: text('NAME', 'use this loaded database (name or URL) instead'),
}

/** Loads the database of this size, or the given one, if it does not exist. Returns its URL. */
export async function prepareDatabase({
  size,
  database,
}: {
  size: string
  database?: string | undefined
}): Promise<string> {
  const { name, sizes } = sizeOf(size)
  const url = databaseUrl(database ?? name)
  await createDatabase(url, false)
  const { rows } = await inSession(url, (session) =>
    session.query(`select to_regclass('public.orders')::text as found`),
  )
  if ((rows as { found: string | null }[])[0]?.found === null)
    await load(url, sizes, (line) => process.stderr.write(line))
  return url
}

export interface BenchWithService extends AsyncDisposable {
  readonly bench: Bench
  readonly service: ServiceProcess
}

/** Opens the database and starts a service on it, which has used the keys of the clients that send requests. */
export async function openService(url: string, options?: ServiceOptions): Promise<BenchWithService> {
  await using opened = new AsyncDisposableStack()
  const bench = opened.use(await openBench(url))
  const service = await startServiceProcess(url, options)
  opened.defer(() => service.stop())
  writeKeys(bench)
  await introduce(service.address, clientsOf(bench))
  const all = opened.move()
  return { bench, service, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** There are at most about `activeMax` active clients. */
export async function openBench(url: string, activeMax = 2_500): Promise<Bench> {
  const session = new Client({ connectionString: url, options: '-c jit=off -c synchronous_commit=off' })
  await session.connect()
  await session.query('drop schema if exists bench_run cascade; create schema bench_run')
  await clearCarts(session)
  const sizes = await readSizes(session)
  const numbers = numbersOf(sizes, activeMax)
  await stockUp(session, numbers)
  const folder = mkdtempSync(join(tmpdir(), 'parts-bench-'))
  const close = async (): Promise<void> => {
    rmSync(folder, { recursive: true })
    await session.query('drop schema if exists bench_run cascade')
    await session.end()
  }
  return { session, url, sizes, numbers, folder, [Symbol.asyncDispose]: close }
}

/** The clients that send requests: the active ones, and those with a large cart. */
export function clientsOf({ sizes: { clients }, numbers: { spread = 1 } }: Bench): number[] {
  const all = Array.from({ length: clients }, (_, n) => n + 1)
  return all.filter((id) => Math.floor((id - 1) / 10) % spread === 0 || id % 20 === 0)
}

/** Loaded orders differ from later ones by their fingerprint, which is derived from their number. */
async function readSizes(session: Client): Promise<Sizes> {
  const { rows } = await session.query<{ orders: number; clients: number; items: number }>(
    `select (select max(order_id) from orders where cart_group_fingerprint = md5(order_id::text))::float8 as orders,
       (select count(*) from clients)::float8 as clients, (select count(*) from items)::float8 as items`,
  )
  assert(rows[0])
  return sizesOf(rows[0].orders, rows[0].clients, rows[0].items)
}

/**
 * There are about `activeMax` active clients, in tens that are `spread` tens apart. The service forgets a key that was
 * not used for a minute: with 10,000 clients, a slow operation would mostly measure looking up keys.
 * A spread of 1, 4, 7 … keeps the remainder modulo three, by which contracts, price lists and stocks are assigned.
 */
function numbersOf({ orders, clients, items, client_stride }: Sizes, activeMax: number): Record<string, number> {
  const spread = 1 + 3 * Math.max(0, Math.floor((clients / activeMax - 1) / 3))
  const active_tens = Math.floor(clients / 10 / spread)
  const slots = clients * 10
  const orders_a_slot = Math.floor(orders / slots)
  assert(orders_a_slot > 0, 'There are fewer than ten orders per client.')
  const bench_items = Math.min(10_000, items / 10)
  const thisMonth = new Date().getUTCFullYear() * 12 + new Date().getUTCMonth()
  return {
    spread,
    active_tens,
    active: active_tens * 10,
    active_threes: Math.floor((active_tens * 10) / 3),
    slots,
    orders_a_slot,
    stride_inverse: inverse(client_stride, slots),
    clients_with_large_cart: clients / 20,
    bench_items,
    bench_item_step: Math.floor(items / bench_items),
    month_first: thisMonth - 23,
    month_last: thisMonth - 1,
  }
}

/** The modular inverse. */
function inverse(of: number, modulus: number): number {
  for (let n = 1; n < modulus; n++) if ((n * of) % modulus === 1) return n
  throw new RangeError(`${of} has no inverse modulo ${modulus}.`)
}

/**
 * Orders and lines use every tenth or hundredth item, so that concurrent orders rarely take the same one. All of these
 * items are put on sale, and their stock suffices for any number of runs.
 */
async function stockUp(session: Client, { bench_item_step, bench_items }: Record<string, number>): Promise<void> {
  const last = `${bench_item_step} * ${bench_items}`
  const used = `generate_series(${bench_item_step}, ${last}, ${bench_item_step}) as used (item_id)`
  await session.query(`update items i set on_sale = true from ${used} where i.item_id = used.item_id and not i.on_sale`)
  await session.query(
    `update stock_levels l set on_hand = l.on_hand + 10000000 from stocks s, ${used}
     where l.stock_id = s.stock_id and l.item_id = used.item_id and l.on_hand - l.reserved < 1000000`,
  )
  // For `hot`: one stock serves all clients.
  await session.query(
    'insert into client_stocks (client_id, stock_id) select client_id, 1 from clients on conflict do nothing',
  )
}
