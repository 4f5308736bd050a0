import { saveResults } from '../results.ts'
import { positiveInteger } from '../subcommand.ts'
import { stolenTicks } from './cpu.ts'
import { plotRates } from './plots.ts'
import { prepareDatabase } from './prepare.ts'
import { header, lineOf, plain } from './report.ts'
import { refuseUnknownOperations, runBench } from './run.ts'

interface RunOptions {
  readonly size: string
  readonly database?: string | undefined
  readonly rounds: string
  readonly seconds?: string | undefined
  readonly json: boolean
}

/** Measures the operations, prints a table or JSON, and saves the results with a plot. */
export async function runAndReport(only: readonly string[], options: RunOptions): Promise<void> {
  const { size, database, json } = options
  const rounds = positiveInteger('rounds', options.rounds, 9_999)
  // A caller that requests JSON waits for it: two operations in three rounds take less than a minute.
  const seconds = positiveInteger('seconds', options.seconds ?? (json ? '2' : '5'), 9_999)
  refuseUnknownOperations(only)
  const show = (text: string): void => void (json || process.stdout.write(text))
  const url = await prepareDatabase(size, database)
  show(header())
  const before = stolenTicks()
  const results = await runBench(url, { only, rounds, seconds, half: !json, show: (result) => show(lineOf(result)) })
  const after = stolenTicks()
  const stolen_percent = Math.round((100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all))
  const name = new URL(url).pathname.slice(1)
  const saved = saveResults('speed', { database: name, stolen_percent, results }, plotRates(results, name))
  show(`The host took ${stolen_percent} % of the CPU time away (steal). Written to ${saved} and .svg.\n`)
  if (json) process.stdout.write(`${JSON.stringify(results.map(plain))}\n`)
}
