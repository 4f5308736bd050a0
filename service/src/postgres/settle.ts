import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../refusals.ts'

const settleTimeoutMs = 5_000 // As long as one statement may take: whoever waits longer is better served by an honest "busy".

/**
 * Repeats a guarded statement until it has happened or its refusal can be explained.
 * `explain` throws the refusal, or returns when nothing stands in the way any more: another request came in between.
 */
export async function settle<T>(attempt: () => Promise<T | undefined>, explain: () => Promise<void>): Promise<T> {
  const deadline = performance.now() + settleTimeoutMs
  do {
    const done = await attempt()
    if (done !== undefined) return done
    await explain()
    await sleep(Math.random() * 5)
  } while (performance.now() < deadline)
  throw new Refusal('busy', {})
}
