/**
 * A quick check for CI whether an operation became more expensive: little data, few operations, the best of three rounds.
 * It compares CPU time, not rates: other programs on the machine make operations slower, but hardly more expensive.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { commitWithoutDisk, createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { median, rounded } from '../run/figures.ts'
import type { Round } from '../run/measure.ts'
import { sizeOf } from '../run/prepare.ts'
import { header, type FullResult } from '../run/report.ts'
import { measureOperations } from '../run/run.ts'
import { flag, workload } from '../workload.ts'

const only = ['read-order', 'list-orders-20', 'list-cart-5', 'add-line', 'place-order-5']
const tolerated = 0.6 // Shared caches of a busy machine can cost a fifth of the best of three rounds; the rest is the code's.
const recordedFile = new URL('../run/recorded.json', import.meta.url)

export default workload({
  options: {
    record: flag('write the measured shares to proof/bench/run/recorded.json instead of comparing with them'),
  },
  notes: [
    'Loads 2,000 orders, measures five operations in three rounds of one second, and drops the database. Exits with 1 if the best round of an operation takes much more CPU time than recorded.',
    'Needs wrk and pgbench. Takes a minute.',
  ],
  examples: ['smoke', 'smoke --record'],
  run: async ({ record }, { show }) => {
    const { name, sizes } = sizeOf('2000')
    const url = databaseUrl(name)
    await createDatabase(url, true)
    try {
      await load(url, sizes)
      await commitWithoutDisk(url) // CPU time is compared, so a slow disk should not delay anything.
      show(header())
      const results = await measureOperations(url, only, { rounds: 3, seconds: 1, half: false }, show)
      if (record) write(results)
      const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as Record<string, number>
      const slow = slowOperations(results, recorded)
      show(slow.length === 0 ? 'No operation is more expensive than recorded.\n' : slow.join(''))
      return { results, failed: slow.length > 0 }
    } finally {
      await dropDatabase(url)
    }
  },
})

/** The median is recorded: the best may be luck. */
function write(results: readonly FullResult[]): void {
  const shares = results.map(({ operation, rounds }) => [operation, rounded(median(rounds.map(bareShare)), 3)])
  writeFileSync(recordedFile, `${JSON.stringify(Object.fromEntries(shares), null, 2)}\n`)
}

/** The CPU time of the bare statement as a share of all CPU time that the request takes, in PostgreSQL and in Node. */
const bareShare = ({ cpu }: Round): number => (cpu.bare_postgres ?? 0) / (cpu.postgres + cpu.service)

/** A sentence for each operation whose best round is far below its recorded share. */
export function slowOperations(
  results: readonly Pick<FullResult, 'operation' | 'rounds'>[],
  recorded: Readonly<Record<string, number>>,
): string[] {
  return results.flatMap(({ operation, rounds }) => {
    const best = Math.max(...rounds.map(bareShare))
    const before = recorded[operation]
    if (before === undefined) return [`${operation} is not recorded: npm run bench -- smoke --record.\n`]
    return best < before * tolerated
      ? [`${operation} is too expensive: the statement is ${best.toFixed(2)} of its CPU time, ${before} recorded.\n`]
      : []
  })
}
