/** What compression saves in bytes and costs in CPU time. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { benchKey } from '../load/bench-keys.ts'
import { databaseUrl } from '../load/databases.ts'
import { sizesOf } from '../load/sizes.ts'
import { cpuTicks, ticksPerSecond } from '../process-usage.ts'
import { median } from '../run/median.ts'
import { loadIfAbsent } from '../run/prepare.ts'
import { introduce, startServiceProcess, type ServiceProcess } from '../run/service-process.ts'

const client_id = 1

interface Case {
  readonly name: string
  readonly path: string
  readonly accept: string | undefined
  /** About half a second of CPU time, since it is counted in ticks of 10 ms. */
  readonly requests: number
}

interface Cost {
  readonly bytes: number
  readonly cpuMicros: number
}

export async function measureCompression(rounds: number): Promise<void> {
  const url = databaseUrl('bench_compression')
  await loadIfAbsent(url, sizesOf(20_000, 20, 10_000)) // A thousand orders per client.
  const service = await startServiceProcess(url)
  try {
    await introduce(service.address, [client_id])
    const costs = new Map<Case, Cost[]>((await casesOf(service)).map((one) => [one, []]))
    for (let round = 0; round <= rounds; round++) {
      const order = round % 2 === 0 ? [...costs] : [...costs].toReversed()
      for (const [one, measured] of order) {
        const cost = await costOf(service, one)
        if (round > 0) measured.push(cost) // In the first one everything is compiled.
      }
    }
    print('response', 'accepted', 'bytes', 'CPU µs')
    for (const [{ name, accept = '-' }, measured] of costs)
      print(name, accept, measured[0]?.bytes, median(measured.map(({ cpuMicros }) => cpuMicros)).toFixed(0))
  } finally {
    await service.stop()
  }
}

async function casesOf({ address }: ServiceProcess): Promise<Case[]> {
  const list = '/api/v1/orders/?limit=500'
  const page = await fetch(`${address}${list}`, { headers: { authorization: benchKey(client_id) } })
  const { data } = (await page.json()) as { data: { order_id: number }[] }
  assert.equal(data.length, 500)
  return [undefined, 'gzip', 'br'].flatMap((accept) => [
    { name: '500 orders', path: list, accept, requests: 50 },
    { name: '1 order', path: `/api/v1/orders/${data[0]?.order_id}/`, accept, requests: 2_000 },
  ])
}

async function costOf({ address, pid }: ServiceProcess, { path, accept, requests }: Case): Promise<Cost> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: benchKey(client_id), ...(accept === undefined ? {} : { 'accept-encoding': accept }) }
  const before = cpuTicks(pid)
  let bytes = 0
  for (let n = 0; n < requests; n++) bytes = await readBytes(`${address}${path}`, { agent, headers })
  const cpuMicros = ((cpuTicks(pid) - before) / ticksPerSecond / requests) * 1e6
  agent.destroy()
  return { bytes, cpuMicros }
}

function readBytes(url: string, options: http.RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, options, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve(bytes))
    })
    request.on('error', reject)
  })
}

const print = (...cells: (string | number | undefined)[]): void =>
  void process.stdout.write(`${cells.map((cell) => String(cell ?? '').padEnd(12)).join('')}\n`)
