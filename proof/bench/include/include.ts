/** What `include` costs: the CPU time of reading orders with their details, compared with reading them without. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { Client } from 'pg'
import { orderIncludes } from '../../../apps/service/src/orders/order-details.ts'
import { benchKey } from '../load/bench-keys.ts'
import { databaseUrl } from '../load/databases.ts'
import { sizesOf } from '../load/sizes.ts'
import { cpuMsOf } from '../run/cpu.ts'
import { median } from '../run/median.ts'
import { loadIfAbsent } from '../run/prepare.ts'
import { startServiceProcess } from '../run/service-process.ts'

const ratioMax = 1.5
const connections = 8

interface SampledOrder {
  readonly client_id: number
  readonly order_id: number
}

interface Measure {
  readonly cpuMs: number
  readonly bytes: number
}

type Get = (path: string, client_id: number) => Promise<number>

const includes = ['', '', 'address,terms,reference', 'items', 'actions', orderIncludes.join()]

/** Prints ratios. Returns whether each is as low as it must be. */
export async function measureInclude({ requests, rounds }: { requests: number; rounds: number }): Promise<boolean> {
  const url = databaseUrl('bench_include')
  await loadIfAbsent(url, sizesOf(20_000, 1_000, 25_000))
  const session = new Client({ connectionString: url })
  await session.connect()
  const orders = await sampleOrders(session)
  const service = await startServiceProcess(url)
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const get: Get = (path, client_id) => bytesOf(agent, service.address + path, client_id)

  let cheap = true
  for (const [title, pathOf, count] of [
    ['one order', ({ order_id }: SampledOrder) => `/api/v1/orders/${order_id}/?`, requests],
    ['20 orders', () => '/api/v1/orders/?limit=20&', Math.ceil(requests / 5)],
  ] as const) {
    const measured: Measure[][] = includes.map(() => [])
    for (let round = 0; round <= rounds; round++) {
      for (const [n, include] of includes.entries()) {
        const query = include === '' ? '' : `include=${include}`
        const before = await cpuMsOf(session, service.pid)
        const bytes = await getAll(get, count, orders, (order) => pathOf(order) + query)
        const taken = { cpuMs: (await cpuMsOf(session, service.pid)) - before, bytes }
        if (round > 0) measured[n]?.push(taken) // The first round fills caches and plans statements.
      }
    }
    cheap = print(title, measured) && cheap
  }
  agent.destroy()
  await service.stop()
  await session.end()
  return cheap
}

async function sampleOrders(session: Client): Promise<SampledOrder[]> {
  const { rows } = await session.query<SampledOrder>(
    'select client_id::float8, order_id::float8 from orders order by md5(order_id::text) limit 500',
  )
  return rows
}

function bytesOf(agent: http.Agent, url: string, client_id: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const request = http.get(url, { agent, headers: { authorization: benchKey(client_id) } }, (response) => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => (bytes += chunk.length))
    response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${url}: ${response.statusCode}`)))) // prettier-ignore
  })
  request.on('error', reject)
  return promise
}

/** Returns the bytes of all responses. */
async function getAll(
  get: Get,
  count: number,
  orders: readonly SampledOrder[],
  pathOf: (order: SampledOrder) => string,
): Promise<number> {
  let bytes = 0
  let started = 0
  const work = async (): Promise<void> => {
    while (started < count) {
      const order = orders[started++ % orders.length]
      assert(order)
      const received = await get(pathOf(order), order.client_id)
      bytes += received
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return bytes
}

function print(title: string, measured: readonly (readonly Measure[])[]): boolean {
  const [plain = []] = measured
  const write = (...cells: string[]): void =>
    void process.stdout.write(`${cells.map((cell, at) => (at === 0 ? cell.padEnd(54) : cell.padStart(10))).join('')}\n`)
  write(title, 'CPU ratio', 'bytes')
  let cheap = true
  for (const [n, of] of measured.entries()) {
    // Both sides of a ratio are from the same round, so that noise affects both.
    const ratio = (kind: keyof Measure): number => median(of.map((one, at) => one[kind] / (plain[at]?.[kind] ?? 1)))
    write(includes[n] === '' ? 'without include' : (includes[n] ?? ''), ratio('cpuMs').toFixed(2), ratio('bytes').toFixed(1)) // prettier-ignore
    cheap &&= ratio('cpuMs') <= ratioMax
  }
  return cheap
}
