/** The CSV of all orders, read to its end while the memory of the service is sampled. */
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import { childrenOf, cpuMs, memoryMb } from '../process-usage.ts'
import type { ServiceProcess } from '../run/service-process.ts'

export interface Exported {
  readonly rows: number
  readonly bytes: number
  readonly seconds: number
  /** CPU time of the service. */
  readonly service_cpu_seconds: number
  /** Resident memory before, the largest sample during each tenth of the rows, and the peak that Linux reports. */
  readonly before_mb: number
  readonly tenths_mb: readonly number[]
  readonly peak_mb: number
  /** The largest JavaScript heap in use that its metrics have shown. */
  readonly heap_peak_mb: number
}

const sampleEveryMs = 500
const lineFeed = 10

export async function exportOrders(
  { address, metrics, pid }: ServiceProcess,
  key: string,
  session: Client,
  show: (text: string) => void,
): Promise<Exported> {
  const expected = await countOrders(session)
  const pids = [pid, ...childrenOf(pid)]
  const rss = (): number => Math.max(...pids.map((one) => memoryMb(one, 'VmRSS')))
  const cpu = (): number => pids.reduce((sum, one) => sum + cpuMs(one), 0) / 1000
  const before = { mb: rss(), cpu: cpu(), at: performance.now() }
  const tenths = Array.from({ length: 10 }, () => 0)
  let heapPeak = 0
  let lines = 0
  let bytes = 0
  const sampler = setInterval(() => {
    const tenth = Math.min(9, Math.floor((lines / expected) * 10))
    tenths[tenth] = Math.max(tenths[tenth] ?? 0, rss())
    heapMb(metrics).then(
      (mb) => (heapPeak = Math.max(heapPeak, mb)),
      () => undefined, // A busy service may close the connection: the next sample counts.
    )
  }, sampleEveryMs)
  let shown = performance.now()
  try {
    for await (const chunk of await open(`${address}/operator/v1/orders/`, key)) {
      bytes += chunk.length
      // No field of the loaded data has a line break in it.
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++
      if (performance.now() - shown < 10_000) continue
      shown = performance.now()
      show(`export: ${lines.toLocaleString('en')} of ${expected.toLocaleString('en')} orders, ${rss()} MB\n`)
    }
  } finally {
    clearInterval(sampler)
  }
  const rows = lines - 1 // The first line names the columns.
  assert.equal(rows, expected, 'The export has not all orders.')
  const exported: Exported = {
    rows,
    bytes,
    seconds: Number(((performance.now() - before.at) / 1000).toFixed(1)),
    service_cpu_seconds: Number((cpu() - before.cpu).toFixed(1)),
    before_mb: before.mb,
    tenths_mb: tenths,
    peak_mb: Math.max(...pids.map((one) => memoryMb(one, 'VmHWM'))),
    heap_peak_mb: Math.max(heapPeak, await heapMb(metrics)),
  }
  show(sentenceOf(exported))
  return exported
}

async function countOrders(session: Client): Promise<number> {
  const { rows } = await session.query<{ count: number }>('select count(*)::float8 as count from orders')
  return rows[0]?.count ?? 0
}

async function open(url: string, key: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(url, { headers: { authorization: key, accept: 'text/csv' } })
  assert(response.status === 200 && response.body)
  return response.body
}

async function heapMb(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text()
  const [, heap = '0'] = /^nodejs_heap_size_used_bytes(?:\{.*\})? (\S+)$/m.exec(text) ?? []
  return Math.round(Number(heap) / 1024 / 1024)
}

function sentenceOf({ rows, bytes, seconds, service_cpu_seconds, ...memory }: Exported): string {
  const { before_mb, tenths_mb, peak_mb, heap_peak_mb } = memory
  const megabytes = (bytes / 1024 / 1024).toFixed(0)
  return `export: ${rows.toLocaleString('en')} orders, ${megabytes} MB in ${seconds} s (${Math.round(rows / seconds)}/s), ${service_cpu_seconds} s of CPU time of the service
memory: ${before_mb} MB before; ${tenths_mb.join(', ')} MB in each tenth; peak ${peak_mb} MB, heap ${heap_peak_mb} MB
`
}
