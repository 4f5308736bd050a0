/** Results of `run` as a table and as JSON. */
import type { AtHalf, Measurement, Round } from './measure.ts'
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
  /** At half of the peak rate; a journey is not paced. */
  readonly half: AtHalf | null
  readonly rounds: readonly Round[]
}

export function resultOf(operation: string, { rounds, half }: Measurement): FullResult {
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
    half: half ?? null,
    rounds,
  }
}

export const ratiosOf = (rounds: readonly Round[]): number[] =>
  rounds.flatMap(({ bare, service }) => (bare === undefined ? [] : [service / bare]))

export const plain = ({ operation, bare, service, ratio, p50_ms, p99_ms }: FullResult): Result => ({
  operation,
  bare,
  service,
  ratio,
  p50_ms,
  p99_ms,
})

const columns = [
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
  'half: p50',
  'p99',
  'bare p50',
  'p99',
]
const widths = [20, 8, 10, 6, 8, 8, 11, 7, 8, 7, 10, 7, 9, 7]

export const header = (): string => row(columns)

export function lineOf({ operation, bare, service, ratio, p50_ms, p99_ms, cpu_us, half }: FullResult): string {
  const cells = [
    bare,
    service,
    ratio?.toFixed(2),
    p50_ms.toFixed(1),
    p99_ms.toFixed(1),
    ...Object.values(cpu_us),
    half?.p50_ms.toFixed(1),
    half?.p99_ms.toFixed(1),
    half?.bare_p50_ms.toFixed(1),
    half?.bare_p99_ms.toFixed(1),
  ]
  return row([operation, ...cells.map((cell) => (cell ?? '').toLocaleString('en'))])
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(' ')}\n`
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
