import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseTrouble, type Database } from './database.ts'
import type { Statement } from './statement.ts'

/** A guarded statement changed nothing, again and again, and `explain` found no reason: a guard without an explanation is a bug. */
export class UnexplainedRefusal extends Error {
  constructor({ name }: Pick<Statement, 'name'>) {
    super(`${name} changed nothing, and no reason was found for refusing it.`)
    this.name = 'UnexplainedRefusal'
  }
}

/**
 * How often a statement may change nothing without a reason. Each time is either lost to a concurrent change or a bug.
 * Repeats in one process take turns, so that 100 losses in a row to other processes do not happen.
 */
const attemptsMax = 100

/**
 * Repeats a guarded statement until it has happened or its refusal is explained, for as long as one statement may take:
 * after that, `busy` is the better answer. `explain` throws the refusal, or returns when nothing stands in the way any more,
 * because another request came in between.
 *
 * Repeats for the same `contended` thing take turns: of many that repeat at once, all but one would fail again.
 * Without turns, 256 concurrent reschedulings of one order left 145 unsettled after 5 seconds; with turns, none.
 */
export async function settle<T>(
  db: Pick<Database, 'deadline'>,
  { statement, contended }: { statement: Pick<Statement, 'name'>; contended: string },
  attempt: () => Promise<T | undefined>,
  explain: () => Promise<void>,
): Promise<T> {
  const deadline = db.deadline()
  let done = await attempt()
  for (let attempts = 1; done === undefined; attempts++) {
    await explain()
    if (attempts === attemptsMax) throw new UnexplainedRefusal(statement)
    await sleep(Math.random() * 5)
    done = await inTurn(contended, () => {
      if (performance.now() > deadline) throw new DatabaseTrouble('busy')
      return attempt()
    })
  }
  return done
}

/** The end of each queue, as long as anything waits in it. */
const queues = new Map<string, Promise<unknown>>()

async function inTurn<T>(contended: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(contended) ?? Promise.resolve()
  const mine = before.then(work)
  const end = mine.catch(() => undefined)
  queues.set(contended, end)
  try {
    return await mine
  } finally {
    if (queues.get(contended) === end) queues.delete(contended)
  }
}
