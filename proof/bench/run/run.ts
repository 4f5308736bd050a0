/** Compares operations bare and through the service: what `run`, `hot` and `smoke` share. */
import { databaseOptions, openService, prepareDatabase, clientsOf } from './prepare.ts'
import { flag, integer, maybeInteger, WrongUse, type WorkloadOutcome, type WorkloadOutput } from '../workload.ts'
import { stolenTicks } from './cpu.ts'
import { measure, measureJourney, type MeasureSettings } from './measure.ts'
import { hotGoods, journey, operations, refuseUnknown } from './operations.ts'
import { plotRates, plotTails } from './plots.ts'
import { header, lineOf, plain, resultOf, type FullResult } from './report.ts'
import { introduce, type ServiceOptions } from './service-process.ts'

export const comparisonOptions = {
  ...databaseOptions,
  rounds: integer(5, 'rounds; the result is their median', 9_999),
  seconds: maybeInteger('seconds per measurement (default: 5, with --json 2)', 9_999),
  half: flag('measure latencies at half of the peak rate, too (without --json, always)'),
  rate: maybeInteger('measure at N operations per second on both sides, instead of as many as possible', 99_999),
  nice: integer(0, 'priority of the service; deploy/systemd has --nice=-10, and below 0 needs root', 20, -20),
}

interface Comparison extends ServiceOptions {
  readonly size: string
  readonly database: string | undefined
  readonly rounds: number
  readonly seconds: number | undefined
  readonly half: boolean
  readonly rate: number | undefined
}

/** Measures the operations and prints a table. */
export async function compareSides(
  names: readonly string[],
  { rounds, seconds, half, rate, nice = 0, ...database }: Comparison,
  { show, json }: WorkloadOutput,
): Promise<WorkloadOutcome & { measured: FullResult[] }> {
  refuseUnknown(names, [...operations, { name: journey }, ...hotGoods].map(({ name }) => name)) // prettier-ignore
  if (rate !== undefined && names.includes(journey)) throw new WrongUse(`--rate is not for '${journey}'.`)
  const withHalf = rate === undefined && (half || !json)
  const measuredAt = rate !== undefined ? 'rate' : withHalf ? 'half' : undefined
  const url = await prepareDatabase(database)
  show(header(rate))
  const before = stolenTicks()
  // A caller that requests JSON waits for it: two operations in three rounds take less than a minute.
  const settings = { rounds, seconds: seconds ?? (json ? 2 : 5), half: withHalf, rate }
  const measured = await measureOperations(url, names, settings, show, { nice })
  const after = stolenTicks()
  const stolen_percent = Math.round((100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all))
  show(`The host took ${stolen_percent} % of the CPU time away (steal).\n`)
  const name = new URL(url).pathname.slice(1)
  const pace = rate === undefined ? 'half of the peak rate' : `${rate} operations per second`
  return {
    results: { database: name, stolen_percent, results: measured },
    printed: measured.map((result) => plain(result, measuredAt)),
    pictures: {
      speed: plotRates(measured, name),
      ...(measuredAt !== undefined && { tails: plotTails(measured, name, pace) }),
    },
    measured,
  }
}

const introducedForMs = 40_000 // The service forgets a key that was not used for a minute.

/** Starts a service on the database and measures one operation after the other. */
export async function measureOperations(
  url: string,
  names: readonly string[],
  settings: MeasureSettings,
  show: (line: string) => void,
  options?: ServiceOptions,
): Promise<FullResult[]> {
  await using at = await openService(url, options)
  let introducedAt = performance.now()
  const results: FullResult[] = []
  for (const name of names) {
    if (performance.now() - introducedAt > introducedForMs) {
      await introduce(at.service.address, clientsOf(at.bench))
      introducedAt = performance.now()
    }
    const operation = [...operations, ...hotGoods].find((one) => one.name === name)
    const measured = await (operation === undefined ? measureJourney(at, settings) : measure(at, operation, settings))
    const result = resultOf(name, measured)
    show(lineOf(result))
    results.push(result)
  }
  return results
}
