/**
 * A quick check for CI whether an operation became more expensive: little data, few operations, the best of three rounds.
 * It compares CPU time, not rates: other programs on the machine make operations slower, but hardly more expensive.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { commitWithoutDisk, createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { noLoadProgress } from '../load/load-progress.ts'
import { sizeOf } from './prepare.ts'
import type { Round } from './measure.ts'
import { header, lineOf, type FullResult } from './report.ts'
import { median } from './median.ts'
import { runBench } from './run.ts'

const only = ['read-order', 'list-orders-20', 'list-cart-5', 'add-line', 'place-order-5']
const tolerated = 0.6 // Shared caches of a busy machine can cost a fifth of the best of three rounds; the rest is the code's.
const recordedFile = new URL('recorded.json', import.meta.url)

/** Returns false if an operation is too expensive. With `record`, later runs are compared with the shares measured now. */
export async function runSmoke({ record }: { record: boolean }): Promise<boolean> {
  const small = sizeOf('2000')
  const url = databaseUrl(small.name)
  await createDatabase(url, true)
  try {
    await load(url, small.sizes, noLoadProgress)
    await commitWithoutDisk(url) // CPU time is compared, so a slow disk should not delay anything.
    process.stdout.write(header())
    const results = await runBench(url, {
      only,
      rounds: 3,
      seconds: 1,
      half: false,
      show: (result) => process.stdout.write(lineOf(result)),
    })
    return record ? write(results) : compare(results)
  } finally {
    await dropDatabase(url)
  }
}

/** The median is recorded: the best may be luck. */
function write(results: readonly FullResult[]): true {
  const shares = results.map(({ operation, rounds }) => [operation, Number(median(rounds.map(bareShare)).toFixed(3))])
  writeFileSync(recordedFile, `${JSON.stringify(Object.fromEntries(shares), null, 2)}\n`)
  return true
}

function compare(results: readonly FullResult[]): boolean {
  if (!existsSync(recordedFile)) throw new Error('Nothing is recorded yet: npm run bench -- smoke --record.')
  const slow = slowOperations(results, JSON.parse(readFileSync(recordedFile, 'utf8')) as Record<string, number>)
  process.stdout.write(slow.length === 0 ? 'No operation is more expensive than recorded.\n' : slow.join(''))
  return slow.length === 0
}

/** The CPU time of the bare statement as a share of all CPU time that the request takes, in PostgreSQL and in Node. */
const bareShare = ({ cpu }: Round): number => (cpu.barePostgres ?? 0) / (cpu.postgres + cpu.service)

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
