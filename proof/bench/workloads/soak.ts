import { childrenOf, memoryMb } from '../process-usage.ts'
import { runJourneys } from '../run/journey.ts'
import { databaseOptions, openService, prepareDatabase } from '../run/prepare.ts'
import { integer, workload } from '../workload.ts'

const sampleEveryMs = 5_000
const partSeconds = 30 // After each part the orders are counted and the carts cleared.

export default workload({
  options: { ...databaseOptions, minutes: integer(10, 'duration') },
  notes: [
    'Sixteen dealers place orders as fast as the service answers. The resident memory of the largest process is sampled every five seconds.',
    'Needs wrk.',
  ],
  examples: ['soak --minutes 10'],
  run: async ({ minutes, ...database }, { show }) => {
    await using at = await openService(await prepareDatabase(database))
    const { bench, service } = at
    const samples: { second: number; rss_mb: number }[] = []
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const sizes = [service.pid, ...childrenOf(service.pid)].map((pid) => memoryMb(pid, 'VmRSS'))
      samples.push({ second: Math.round((performance.now() - startedAt) / 1000), rss_mb: Math.max(...sizes) })
    }, sampleEveryMs)
    let journeys = 0
    try {
      for (let part = 0; part < (minutes * 60) / partSeconds; part++) {
        const { completed } = await runJourneys(bench, { address: service.address, seconds: partSeconds })
        journeys += completed
        const last = samples.at(-1)
        show(`${last?.second} s: ${last?.rss_mb} MB, ${Math.round(completed / partSeconds)} journeys per second\n`)
      }
    } finally {
      clearInterval(timer)
    }
    return { results: { journeys, samples } }
  },
})
