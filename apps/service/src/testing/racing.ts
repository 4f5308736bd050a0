/** Races: two requests at once, many rounds, and outcomes that are counted. */
import assert from 'node:assert/strict'
import type { Answer } from './service.ts'

/** Set by `npm run test:long`. */
export const long = process.env['TEST_LONG'] === '1'

const part = process.env['TEST_ROUNDS'] === 'all' ? 1 : long ? 1 / 4 : 1 / 20

/** All rounds in `npm run test:races`, a quarter of them in `npm run test:long`, and a twentieth in `npm test`. */
export const rounds = (all: number): number => Math.ceil(all * part)

/** The option of a test that takes too long for `npm test`: `npm run test:long` runs it. */
export const onlyLong = { skip: long ? false : 'runs in npm run test:long' }

/** Starts both, in random order, so that neither side is always first. */
export async function atTheSameTime<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (Math.random() < 0.5) return Promise.all([one(), other()])
  const second = other()
  return Promise.all([one(), second])
}

export const shortOf = ({ status, body }: Answer): string =>
  status === 200 ? 'done' : (body.errors[0]?.code ?? 'nothing')

/** Runs the rounds, with one round of each runner at a time, and counts their outcomes. */
export async function countOutcomes<R>(
  count: number,
  runners: readonly R[],
  round: (runner: R) => Promise<string>,
): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {}
  let started = 0
  const run = async (runner: R): Promise<void> => {
    while (started++ < count) {
      const outcome = await round(runner)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }
  await Promise.all(runners.map(run))
  return outcomes
}

/**
 * Every outcome is allowed. In the long run each allowed outcome makes up at least 1% of the rounds, so the two sides
 * really raced; a twentieth of the rounds is too few to show that.
 */
export function assertAll(outcomes: Record<string, number>, ...allowed: string[]): void {
  assert.deepEqual(
    Object.keys(outcomes).filter((outcome) => !allowed.includes(outcome)),
    [],
  )
  if (!long) return
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  for (const outcome of allowed) assert((outcomes[outcome] ?? 0) >= total / 100, JSON.stringify(outcomes))
}
