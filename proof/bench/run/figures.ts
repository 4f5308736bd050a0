/** A single round at a busy moment does not change it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

/** The same percentiles for both load generators. */
export const percentages = [50, 75, 90, 95, 99, 99.5, 99.9] as const

export interface Latencies {
  readonly p50_ms: number
  readonly p99_ms: number
  /** In the order of `percentages`. */
  readonly percentiles_ms: readonly number[]
}

export function latenciesOf(percentiles_ms: readonly number[]): Latencies {
  const of = (percentage: (typeof percentages)[number]): number => percentiles_ms[percentages.indexOf(percentage)] ?? 0
  return { p50_ms: of(50), p99_ms: of(99), percentiles_ms }
}
