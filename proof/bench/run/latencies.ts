/** How long requests took: the same percentiles for both load generators. */
export const percentages = [50, 75, 90, 95, 99, 99.5, 99.9] as const

export interface Latencies {
  readonly p50Ms: number
  readonly p99Ms: number
  /** In the order of `percentages`. */
  readonly percentilesMs: readonly number[]
}

export function latenciesOf(percentilesMs: readonly number[]): Latencies {
  const of = (percentage: (typeof percentages)[number]): number => percentilesMs[percentages.indexOf(percentage)] ?? 0
  return { p50Ms: of(50), p99Ms: of(99), percentilesMs }
}
