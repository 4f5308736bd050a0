/** What races have in common: two sides at once, and outcomes that are counted. */
import assert from 'node:assert/strict'
import type { Answer } from './service.ts'

/** In no particular order, so that neither side is always first. */
export async function atTheSameTime<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (Math.random() < 0.5) return Promise.all([one(), other()])
  const second = other()
  return Promise.all([one(), second])
}

export const shortOf = ({ status, body }: Answer): string =>
  status === 200 ? 'done' : (body.errors[0]?.code ?? 'nothing')

/** Runs the rounds, each runner one after the other, and counts their outcomes. */
export async function countOutcomes<R>(
  rounds: number,
  runners: readonly R[],
  round: (runner: R) => Promise<string>,
): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {}
  let begun = 0
  const run = async (runner: R): Promise<void> => {
    while (begun++ < rounds) {
      const outcome = await round(runner)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }
  await Promise.all(runners.map(run))
  return outcomes
}

/** Every outcome was allowed, and none was so rare that the race was none. */
export function assertAll(outcomes: Record<string, number>, ...allowed: string[]): void {
  assert.deepEqual(
    Object.keys(outcomes).filter((outcome) => !allowed.includes(outcome)),
    [],
  )
  const rounds = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  for (const outcome of allowed) assert((outcomes[outcome] ?? 0) >= rounds / 100, JSON.stringify(outcomes))
}
