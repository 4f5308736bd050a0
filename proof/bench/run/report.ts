/** Results of `run` as a table and as JSON. */
import type { Measurement, Paced, Round } from './measure.ts'
import { median } from './median.ts'

export interface Result {
  readonly operation: string
  /** Operations per second, medians over the rounds. */
  readonly bare: number | null
  readonly service: number
  /** The median of the rounds' ratios, so that noise that affects both sides of a round cancels out. */
  readonly ratio: number | null
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface FullResult extends Result {
  /** CPU microseconds per operation, medians. */
  readonly cpu_us: {
    readonly bare_postgres: number | null
    readonly postgres: number
    readonly service: number
    readonly load: number
  }
  /** At half of the peak rate, or at the given one; a journey is not paced. */
  readonly paced: Paced | null
  readonly rounds: readonly Round[]
}

export function resultOf(operation: string, { rounds, paced }: Measurement): FullResult {
  const ratios = ratiosOf(rounds)
  const over = (of: (round: Round) => number): number => median(rounds.map(of))
  return {
    operation,
    bare: ratios.length === 0 ? null : Math.round(over(({ bare = 0 }) => bare)),
    service: Math.round(over(({ service }) => service)),
    ratio: ratios.length === 0 ? null : rounded(median(ratios), 3),
    p50_ms: rounded(
      over(({ p50_ms }) => p50_ms),
      2,
    ),
    p99_ms: rounded(
      over(({ p99_ms }) => p99_ms),
      2,
    ),
    cpu_us: {
      bare_postgres: ratios.length === 0 ? null : over(({ cpu }) => cpu.barePostgres ?? 0),
      postgres: over(({ cpu }) => cpu.postgres),
      service: over(({ cpu }) => cpu.service),
      load: over(({ cpu }) => cpu.load),
    },
    paced: paced ?? null,
    rounds,
  }
}

export const ratiosOf = (rounds: readonly Round[]): number[] =>
  rounds.flatMap(({ bare, service }) => (bare === undefined ? [] : [service / bare]))

/** A row of `--json`: the result, and the CPU microseconds per operation of PostgreSQL and Node. */
export interface PlainResult extends Result {
  readonly pg_us: number
  readonly bare_pg_us: number | null
  readonly node_us: number
  /** At half of the peak rate, with `--half`; null for a journey. */
  readonly half_p99_ms?: number | null
  readonly half_bare_p99_ms?: number | null
  /** With `--rate`, at which p50_ms and p99_ms are also measured. */
  readonly bare_p99_ms?: number | null
}

export function plain(result: FullResult, measuredAt?: 'half' | 'rate'): PlainResult {
  const { operation, bare, service, ratio, p50_ms, p99_ms, cpu_us, paced } = result
  return {
    operation,
    bare,
    service,
    ratio,
    p50_ms,
    p99_ms,
    pg_us: cpu_us.postgres,
    bare_pg_us: cpu_us.bare_postgres,
    node_us: cpu_us.service,
    ...(measuredAt === 'rate' && { bare_p99_ms: paced?.bare_p99_ms ?? null }),
    ...(measuredAt === 'half' && { half_p99_ms: paced?.p99_ms ?? null, half_bare_p99_ms: paced?.bare_p99_ms ?? null }),
  }
}

const columns = (paced: string): string[] => [
  'operation',
  'bare/s',
  'service/s',
  'ratio',
  'p50 ms',
  'p99 ms',
  'bare PG µs',
  'PG µs',
  'node µs',
  'wrk µs',
  `${paced}: p50`,
  'p99',
  'bare p50',
  'p99',
]
const widths = [20, 8, 10, 6, 8, 8, 11, 7, 8, 7, 10, 7, 9, 7]

export const header = (rate?: number): string => row(columns(rate === undefined ? 'half' : `${rate}/s`))

export function lineOf({ operation, bare, service, ratio, p50_ms, p99_ms, cpu_us, paced }: FullResult): string {
  const cells = [
    bare,
    service,
    ratio?.toFixed(2),
    p50_ms.toFixed(1),
    p99_ms.toFixed(1),
    ...Object.values(cpu_us),
    paced?.p50_ms.toFixed(1),
    paced?.p99_ms.toFixed(1),
    paced?.bare_p50_ms.toFixed(1),
    paced?.bare_p99_ms.toFixed(1),
  ]
  return row([operation, ...cells.map((cell) => (cell ?? '').toLocaleString('en'))])
}

/** The rates of orders that want the same items, as a part of those of orders that do not. Empty for other results. */
export function hotLine({ operation, bare, service }: FullResult, results: readonly FullResult[]): string {
  const spread = results.find((result) => operation === `${result.operation}-hot`)
  if (spread === undefined) return ''
  const bareRatio = ((bare ?? 0) / (spread.bare ?? 1)).toFixed(2)
  return `${operation}: ${bareRatio} of ${spread.operation} bare, ${(service / spread.service).toFixed(2)} through the service\n`
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(' ')}\n`
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
