/** What adding many rows at once saves, compared with adding them one by one over one connection. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { Client } from 'pg'
import { benchKey } from '../load/bench-keys.ts'
import { databaseUrl } from '../load/databases.ts'
import { sizesOf } from '../load/sizes.ts'
import { cpuMsOf } from '../run/cpu.ts'
import { median } from '../run/median.ts'
import { loadIfAbsent } from '../run/prepare.ts'
import { startServiceProcess } from '../run/service-process.ts'

const ratioMax = 0.25
const client_id = 1

interface BulkItem {
  readonly item_id: number
  readonly article: string
}

/** Prints times and their ratios. Returns whether the one request is as fast as it must be. */
export async function measureBulk({ rows, rounds }: { rows: number; rounds: number }): Promise<boolean> {
  const url = databaseUrl('bench_bulk')
  await loadIfAbsent(url, sizesOf(2_000, 100, 10_000))
  const session = new Client({ connectionString: url })
  await session.connect()
  const { stock_id, items } = await orderableItems(session, rows)
  const service = await startServiceProcess(url)
  const send = makeSender(service.address)
  const ways: Record<string, (cart: string) => Promise<void>> = {
    'one by one': async (cart) => {
      for (const { item_id } of items)
        await send('PUT', cart, form, `item_id=${item_id}&stock_id=${stock_id}&quantity=2`)
    },
    'at once, JSON': (cart) =>
      addAtOnce(cart, json, JSON.stringify(items.map(({ article }) => ({ article, quantity: 2 })))),
    'at once, CSV': (cart) => addAtOnce(cart, csv, items.map(({ article }) => `${article};2`).join('\n')),
    'dry run': (cart) => addAtOnce(cart, csv, items.map(({ article }) => `${article};2`).join('\n'), '&dry_run=true'),
  }
  async function addAtOnce(cart: string, type: string, body: string, more = ''): Promise<void> {
    const { rows_refused } = (await send('PUT', `${cart}bulk/?stock_id=${stock_id}${more}`, type, body)) as {
      rows_refused: number
    }
    assert.equal(rows_refused, 0)
  }
  const measured = new Map(Object.keys(ways).map((way) => [way, [] as Measure[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [way, add] of Object.entries(ways)) {
      const { cart_id } = (await send('PUT', '/api/v1/carts/', form, 'name=Bench')) as { cart_id: number }
      const taken = await measure(session, service.pid, () => add(`/api/v1/carts/${cart_id}/items/`))
      await send('DELETE', `/api/v1/carts/${cart_id}/`)
      if (round > 0) measured.get(way)?.push(taken) // The first round fills caches and plans statements.
    }
  }
  await service.stop()
  await session.end()
  return print(rows, measured)
}

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'
const csv = 'text/csv'

/** Items that the client can order under its default contract, spread over the catalogue, from one stock. */
async function orderableItems(session: Client, rows: number): Promise<{ stock_id: number; items: BulkItem[] }> {
  const { rows: items } = await session.query<BulkItem>(
    `select i.item_id::float8, i.item_vendor_code as article
     from contracts c
     join prices p using (price_list_id)
     join items i using (item_id)
     where c.client_id = $1 and c.contract_default and i.on_sale
     order by i.item_id % 7, i.item_id limit $2`,
    [client_id, rows],
  )
  assert.equal(items.length, rows)
  const { rows: stocks } = await session.query<{ stock_id: number }>(
    'select min(stock_id)::float8 as stock_id from client_stocks where client_id = $1',
    [client_id],
  )
  assert(stocks[0])
  return { stock_id: stocks[0].stock_id, items }
}

/** Sends requests one after another over one connection, and returns their data. */
function makeSender(address: string): (method: string, path: string, type?: string, body?: string) => Promise<unknown> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  return (method, path, type, body) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const headers = {
      authorization: benchKey(client_id),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    }
    const request = http.request(address + path, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        if (response.statusCode === 200) resolve((JSON.parse(text) as { data: unknown }).data)
        else reject(new Error(`${method} ${path}: ${text}`))
      })
    })
    request.on('error', reject).end(body)
    return promise
  }
}

interface Measure {
  readonly ms: number
  /** CPU time of the service and of its connections' backends. */
  readonly cpuMs: number
}

async function measure(session: Client, servicePid: number, work: () => Promise<void>): Promise<Measure> {
  const before = await cpuMsOf(session, servicePid)
  const started = performance.now()
  await work()
  const ms = performance.now() - started
  return { ms, cpuMs: (await cpuMsOf(session, servicePid)) - before }
}

function print(rows: number, measured: ReadonlyMap<string, readonly Measure[]>): boolean {
  const [single = []] = measured.values()
  const write = (...cells: string[]): void =>
    void process.stdout.write(`${cells.map((cell, at) => (at === 0 ? cell.padEnd(16) : cell.padStart(10))).join('')}\n`)
  write(`${rows} rows`, 'ms', 'ratio', 'CPU ms', 'CPU ratio')
  let fast = true
  for (const [way, of] of measured) {
    // Both sides of a ratio are from the same round, so that noise affects both.
    const ratio = (kind: keyof Measure): number => median(of.map((one, at) => one[kind] / (single[at]?.[kind] ?? 1)))
    const value = (kind: keyof Measure): string => median(of.map((one) => one[kind])).toFixed(0)
    write(way, value('ms'), ratio('ms').toFixed(3), value('cpuMs'), ratio('cpuMs').toFixed(3))
    if (of !== single) fast &&= ratio('ms') <= ratioMax
  }
  return fast
}
