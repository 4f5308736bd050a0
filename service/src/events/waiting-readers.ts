/**
 * Readers who wait for their client's next event. None of them holds a connection: one statement asks for all of them, again and again
 * while anybody waits. PostgreSQL's `notify` would spare the asking, but every commit with one takes a lock of the whole server.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, int8Array } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const newerEventsSql = statement(new URL('newer-events.sql', import.meta.url), {
  parameters: { client_ids: int8Array, event_numbers: int8Array },
  columns: { client_id: int8, event_number: int8 },
})

const waitingReaders = new Gauge({
  name: 'parts_waiting_readers',
  help: 'Requests that wait for an event.',
})

const lookAgainAfterMs = 15 // A third of the 50 within which an event is to reach whoever waits for it.
const restShare = 4 // However many wait, and however slow PostgreSQL is: at most a fifth of the time goes into asking.
const tryAgainAfterMs = 1_000 // When the database is away.
const readersPerClientMax = 20 // A program that gives up and asks anew must not pile up readers.

export interface WaitingReaders {
  /** True as soon as the client has an event after the number; false when the time is over, or nobody waits for it any more. */
  readonly until: (wish: WaitRequest) => Promise<boolean>
  /** Sends all of them home, and whoever comes later. */
  readonly close: () => void
}

export interface WaitRequest {
  readonly client_id: number
  readonly after: number
  readonly waitMs: number
  /** Calls back when whoever asked has hung up. */
  readonly whenLeft: (left: () => void) => void
}

interface Reader {
  readonly after: number
  readonly goHome: (found: boolean) => void
}

export function openWaitingReaders(db: Database, logger: Logger): WaitingReaders {
  const byClient = new Map<number, Set<Reader>>()
  let asking = false
  let closed = false

  async function until({ client_id, after, waitMs, whenLeft }: WaitRequest): Promise<boolean> {
    if (closed) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const readers = byClient.get(client_id) ?? new Set()
    const timer = setTimeout(() => reader.goHome(false), waitMs)
    const reader: Reader = {
      after,
      goHome: (found) => {
        clearTimeout(timer)
        if (!readers.delete(reader)) return
        waitingReaders.dec()
        if (readers.size === 0) byClient.delete(client_id)
        resolve(found)
      },
    }
    const [oldest] = readers
    if (readers.size >= readersPerClientMax) oldest?.goHome(false)
    readers.add(reader)
    byClient.set(client_id, readers)
    waitingReaders.inc()
    whenLeft(() => reader.goHome(false))
    if (!asking) void ask()
    return promise
  }

  /** Asks until nobody waits any more. */
  async function ask(): Promise<void> {
    asking = true
    for (let restMs = lookAgainAfterMs; ;) {
      await sleep(restMs, undefined, { ref: false })
      if (byClient.size === 0) break
      const started = performance.now()
      const asked = await look()
      restMs = asked ? Math.max(lookAgainAfterMs, (performance.now() - started) * restShare) : tryAgainAfterMs
    }
    asking = false
  }

  /** False when the database could not be asked: whoever waits may go on waiting, and asks for itself when its time is over. */
  async function look(): Promise<boolean> {
    const client_ids = [...byClient.keys()]
    const event_numbers = [...byClient.values()].map((readers) => Math.min(...[...readers].map(({ after }) => after)))
    try {
      for (const { client_id, event_number } of await db.rows(newerEventsSql, { client_ids, event_numbers })) {
        for (const reader of byClient.get(client_id) ?? []) if (reader.after < event_number) reader.goHome(true)
      }
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) logger.error({ err: error }, 'waiting readers could not be served')
      return false
    }
  }

  return {
    until,
    close: () => {
      closed = true
      for (const readers of byClient.values()) for (const reader of readers) reader.goHome(false)
    },
  }
}
