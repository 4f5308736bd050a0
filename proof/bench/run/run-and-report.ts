import { saveResults } from '../results.ts'
import { positiveInteger, WrongUse } from '../subcommand.ts'
import { stolenTicks } from './cpu.ts'
import { journey } from './measure.ts'
import { plotRates, plotTails } from './plots.ts'
import { prepareDatabase } from './prepare.ts'
import { header, lineOf, plain, type FullResult } from './report.ts'
import { refuseUnknownOperations, runBench } from './run.ts'

interface RunOptions {
  readonly size: string
  readonly database?: string | undefined
  readonly rounds: string
  readonly seconds?: string | undefined
  readonly half: boolean
  readonly rate?: string | undefined
  readonly nice: string
  readonly json: boolean
}

/** Measures the operations, prints a table or JSON, and saves the results with a plot. */
export async function runAndReport(only: readonly string[], options: RunOptions): Promise<FullResult[]> {
  const { size, database, json } = options
  const rate = options.rate === undefined ? undefined : positiveInteger('rate', options.rate, 99_999)
  const half = rate === undefined && (options.half || !json)
  const measuredAt = rate !== undefined ? 'rate' : half ? 'half' : undefined
  const rounds = positiveInteger('rounds', options.rounds, 9_999)
  // A caller that requests JSON waits for it: two operations in three rounds take less than a minute.
  const seconds = positiveInteger('seconds', options.seconds ?? (json ? '2' : '5'), 9_999)
  const nice = Number(options.nice)
  if (!Number.isInteger(nice) || Math.abs(nice) > 20)
    throw new WrongUse(`--nice must be an integer from -20 to 20, not '${options.nice}'.`)
  if (rate !== undefined && only.includes(journey)) throw new WrongUse(`--rate is not for '${journey}'.`)
  refuseUnknownOperations(only)
  const show = (text: string): void => void (json || process.stdout.write(text))
  const url = await prepareDatabase(size, database)
  show(header(rate))
  const before = stolenTicks()
  const results = await runBench(url, {
    only,
    rounds,
    seconds,
    half,
    ...(rate !== undefined && { rate }),
    nice,
    show: (result) => show(lineOf(result)),
  })
  const after = stolenTicks()
  const stolen_percent = Math.round((100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all))
  const name = new URL(url).pathname.slice(1)
  const pace = rate === undefined ? 'half of the peak rate' : `${rate} operations per second`
  const pictures = {
    speed: plotRates(results, name),
    ...(measuredAt !== undefined && { tails: plotTails(results, name, pace) }),
  }
  const saved = saveResults('speed', { database: name, stolen_percent, results }, pictures)
  show(`The host took ${stolen_percent} % of the CPU time away (steal). Written to ${saved}, with pictures.\n`)
  if (json) process.stdout.write(`${JSON.stringify(results.map((result) => plain(result, measuredAt)))}\n`)
  return results
}
