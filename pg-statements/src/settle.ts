import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './database.ts'
import { Refusal } from '../../service/src/refusals.ts'

/**
 * Repeats a guarded statement until it has happened or its refusal can be explained, for as long as one statement may take:
 * whoever waits longer is better served by an honest "busy".
 * `explain` throws the refusal, or returns when nothing stands in the way any more: another request came in between.
 *
 * Repetitions for the same thing take turns: of many that repeat at once, all but one would fail again.
 * Without turns, 256 reschedulings of one order at once left 145 unsettled after 5 seconds; with turns, none.
 */
export async function settle<T>(
  db: Pick<Database, 'deadlineMs'>,
  thing: string,
  attempt: () => Promise<T | undefined>,
  explain: () => Promise<void>,
): Promise<T> {
  const deadline = performance.now() + db.deadlineMs
  let done = await attempt()
  while (done === undefined) {
    await explain()
    await sleep(Math.random() * 5)
    done = await inTurn(thing, () => {
      if (performance.now() > deadline) throw new Refusal('busy', {})
      return attempt()
    })
  }
  return done
}

/** The end of each queue, as long as anybody stands in it. */
const queues = new Map<string, Promise<unknown>>()

async function inTurn<T>(thing: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(thing) ?? Promise.resolve()
  const mine = before.then(work)
  const end = mine.catch(() => undefined)
  queues.set(thing, end)
  try {
    return await mine
  } finally {
    if (queues.get(thing) === end) queues.delete(thing)
  }
}
