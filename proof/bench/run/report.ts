/** Results of `run` as a table and as JSON. */
import { median, rounded } from './figures.ts'
import type { Measurement, Paced, Round } from './measure.ts'

/** Medians over the rounds. A journey has no bare side. */
export interface FullResult {
  readonly operation: string
  /** Operations per second. */
  readonly bare: number | null
  readonly service: number
  /** Of the rounds' ratios, so that noise that affects both sides of a round cancels out. */
  readonly ratio: number | null
  readonly p50_ms: number
  readonly p99_ms: number
  /** CPU microseconds per operation. */
  readonly cpu_us: Readonly<Record<'postgres' | 'service' | 'load', number>> & { readonly bare_postgres: number | null }
  /** At half of the peak rate, or at the given one; a journey is not paced. */
  readonly paced: Paced | null
  readonly rounds: readonly Round[]
}

export function resultOf(operation: string, { rounds, paced }: Measurement): FullResult {
  const over = (of: (round: Round) => number): number => median(rounds.map(of))
  const withBare = rounds[0]?.bare !== undefined
  return {
    operation,
    bare: withBare ? Math.round(over(({ bare = 0 }) => bare)) : null,
    service: Math.round(over(({ service }) => service)),
    ratio: withBare ? rounded(over(({ bare = 0, service }) => service / bare), 3) : null, // prettier-ignore
    p50_ms: rounded(over((round) => round.p50_ms), 2), // prettier-ignore
    p99_ms: rounded(over((round) => round.p99_ms), 2), // prettier-ignore
    cpu_us: {
      bare_postgres: withBare ? over(({ cpu }) => cpu.bare_postgres ?? 0) : null,
      postgres: over(({ cpu }) => cpu.postgres),
      service: over(({ cpu }) => cpu.service),
      load: over(({ cpu }) => cpu.load),
    },
    paced: paced ?? null,
    rounds,
  }
}

/** A row of `--json`, with latencies at half of the peak rate, with `--half`, or of the bare side, with `--rate`. */
export function plain(result: FullResult, measuredAt?: 'half' | 'rate') {
  const { cpu_us, paced, rounds: _, ...shown } = result
  const bare_p99_ms = paced?.bare.p99_ms ?? null
  return {
    ...shown,
    pg_us: cpu_us.postgres,
    bare_pg_us: cpu_us.bare_postgres,
    node_us: cpu_us.service,
    ...(measuredAt === 'rate' && { bare_p99_ms }),
    ...(measuredAt === 'half' && { half_p99_ms: paced?.service.p99_ms ?? null, half_bare_p99_ms: bare_p99_ms }),
  }
}

const titles =
  'operation|bare/s|service/s|ratio|p50 ms|p99 ms|bare PG µs|PG µs|node µs|wrk µs|half: p50|p99|bare p50|p99'
const widths = [20, 8, 10, 6, 8, 8, 11, 7, 8, 7, 10, 7, 9, 7]

export const header = (rate?: number): string =>
  row((rate === undefined ? titles : titles.replace('half', `${rate}/s`)).split('|'))

export function lineOf({ operation, bare, service, ratio, p50_ms, p99_ms, cpu_us, paced }: FullResult): string {
  const counts = [bare, service]
  const cpu = [cpu_us.bare_postgres, cpu_us.postgres, cpu_us.service, cpu_us.load]
  const tails = [paced?.service.p50_ms, paced?.service.p99_ms, paced?.bare.p50_ms, paced?.bare.p99_ms]
  const whole = (numbers: readonly (number | null)[]): string[] => numbers.map((n) => n?.toLocaleString('en') ?? '')
  const tenths = (numbers: readonly (number | undefined)[]): string[] => numbers.map((n) => n?.toFixed(1) ?? '')
  return row([operation, ...whole(counts), ratio?.toFixed(2) ?? '', ...tenths([p50_ms, p99_ms]), ...whole(cpu), ...tenths(tails)]) // prettier-ignore
}

/** The rates of orders that want the same items, as a part of those of orders that do not. Empty for other results. */
export function hotLine({ operation, bare, service }: FullResult, results: readonly FullResult[]): string {
  const spread = results.find((result) => operation === `${result.operation}-hot`)
  if (spread === undefined) return ''
  const bareRatio = ((bare ?? 0) / (spread.bare ?? 1)).toFixed(2)
  return `${operation}: ${bareRatio} of ${spread.operation} bare, ${(service / spread.service).toFixed(2)} through the service\n`
}

const row = (cells: readonly string[]): string =>
  `${cells.map((cell, n) => cell[n === 0 ? 'padEnd' : 'padStart'](widths[n] ?? 0)).join(' ')}\n`
