/** The memory of the service under full load, for minutes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, memoryMb } from '../process-usage.ts'
import { runJourneys } from './journey.ts'
import { closeBench, openBench } from './prepare.ts'
import { startServiceProcess } from './service-process.ts'
import { writeKeys } from './wrk.ts'

export interface MemorySample {
  readonly second: number
  /** Of the largest process. */
  readonly rss_mb: number
}

export interface Soak {
  readonly journeys: number
  readonly samples: readonly MemorySample[]
}

const sampleEveryMs = 5_000
const partSeconds = 30 // After each part the orders are counted and the carts cleared.

export async function soak(url: string, minutes: number, show: (line: string) => void): Promise<Soak> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-bench-'))
  const bench = await openBench(url)
  const service = await startServiceProcess(url)
  const samples: MemorySample[] = []
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const sizes = [service.pid, ...childrenOf(service.pid)].map((pid) => memoryMb(pid, 'VmRSS'))
    samples.push({ second: Math.round((performance.now() - startedAt) / 1000), rss_mb: Math.max(...sizes) })
  }, sampleEveryMs)
  try {
    writeKeys(folder, bench.sizes.clients)
    let journeys = 0
    for (let part = 0; part < (minutes * 60) / partSeconds; part++) {
      const { address } = service
      const { completed } = await runJourneys(bench, {
        folder,
        address,
        seconds: partSeconds,
        started: () => undefined,
      })
      journeys += completed
      const last = samples.at(-1)
      show(`${last?.second} s: ${last?.rss_mb} MB, ${Math.round(completed / partSeconds)} journeys per second\n`)
    }
    return { journeys, samples }
  } finally {
    clearInterval(timer)
    await service.stop()
    await closeBench(bench)
    rmSync(folder, { recursive: true })
  }
}
