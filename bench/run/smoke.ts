/** A quick look whether the service has become slow: small data, few operations, and the best of three rounds. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { noLoadProgress } from '../load/load-progress.ts'
import { sizeOf } from './prepare.ts'
import { header, lineOf, ratiosOf, type FullResult } from './report.ts'
import { runBench } from './run.ts'

const only = ['read-order', 'list-orders-20', 'list-cart-5', 'add-line', 'place-order-5']
const tolerated = 0.6 // A busy machine takes a third off the best of three rounds; what takes more is the code.
const recordedFile = new URL('recorded.json', import.meta.url)

/** Whether all is well. With `record`, the ratios measured now are what later runs are held against. */
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

/** The median is recorded: the best would be luck that a later run need not have. */
function write(results: readonly FullResult[]): true {
  const ratios = Object.fromEntries(results.map(({ operation, ratio }) => [operation, ratio]))
  writeFileSync(recordedFile, `${JSON.stringify(ratios, null, 2)}\n`)
  return true
}

function compare(results: readonly FullResult[]): boolean {
  if (!existsSync(recordedFile)) throw new Error('Nothing is recorded yet: --smoke --record.')
  const slow = slowOnes(results, JSON.parse(readFileSync(recordedFile, 'utf8')) as Record<string, number>)
  process.stdout.write(slow.length === 0 ? 'Nothing is slower than recorded.\n' : slow.join(''))
  return slow.length === 0
}

/** A sentence for each operation whose best round is far below what was recorded. */
export function slowOnes(
  results: readonly Pick<FullResult, 'operation' | 'rounds'>[],
  recorded: Readonly<Record<string, number>>,
): string[] {
  return results.flatMap(({ operation, rounds }) => {
    const best = Math.max(...ratiosOf(rounds))
    const before = recorded[operation]
    if (before === undefined) return [`${operation} is not recorded: --smoke --record.\n`]
    return best < before * tolerated
      ? [`${operation} is too slow: ${best.toFixed(2)} of bare at best, ${before} recorded.\n`]
      : []
  })
}
