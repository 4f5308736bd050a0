/** A quick check for CI whether the service became slow: little data, few operations, and the best of three rounds. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { noLoadProgress } from '../load/load-progress.ts'
import { sizeOf } from './prepare.ts'
import { header, lineOf, ratiosOf, type FullResult } from './report.ts'
import { runBench } from './run.ts'

const only = ['read-order', 'list-orders-20', 'list-cart-5', 'add-line', 'place-order-5']
const tolerated = 0.6 // A busy machine can cost a third of the best of three rounds; a larger loss is the code's.
const recordedFile = new URL('recorded.json', import.meta.url)

/** Returns false if an operation is too slow. With `record`, later runs are compared with the ratios measured now. */
export async function runSmoke({ record }: { record: boolean }): Promise<boolean> {
  const small = sizeOf('2000')
  const url = databaseUrl(small.name)
  await createDatabase(url, true)
  try {
    await load(url, small.sizes, noLoadProgress)
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
  const ratios = Object.fromEntries(results.map(({ operation, ratio }) => [operation, ratio]))
  writeFileSync(recordedFile, `${JSON.stringify(ratios, null, 2)}\n`)
  return true
}

function compare(results: readonly FullResult[]): boolean {
  if (!existsSync(recordedFile)) throw new Error('Nothing is recorded yet: npm run bench -- smoke --record.')
  const slow = slowOperations(results, JSON.parse(readFileSync(recordedFile, 'utf8')) as Record<string, number>)
  process.stdout.write(slow.length === 0 ? 'No operation is slower than recorded.\n' : slow.join(''))
  return slow.length === 0
}

/** A sentence for each operation whose best round is far below its recorded ratio. */
export function slowOperations(
  results: readonly Pick<FullResult, 'operation' | 'rounds'>[],
  recorded: Readonly<Record<string, number>>,
): string[] {
  return results.flatMap(({ operation, rounds }) => {
    const best = Math.max(...ratiosOf(rounds))
    const before = recorded[operation]
    if (before === undefined) return [`${operation} is not recorded: npm run bench -- smoke --record.\n`]
    return best < before * tolerated
      ? [`${operation} is too slow: ${best.toFixed(2)} of bare at best, ${before} recorded.\n`]
      : []
  })
}
