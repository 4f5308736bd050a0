/**
 * Readers that wait for the next event of their client. No reader holds a database connection: one statement polls for
 * all readers of the process while there are any. PostgreSQL's `notify` would avoid polling, but every commit that uses
 * it takes a lock of the whole server.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, int8Array } from 'pg-statements/types.ts'

/** The waiting readers' clients that have an event after the number that the reader knows. */
const newerEventsSql = shortStatement('newer-events', {
  sql: `select c.client_id, c.event_number
    from unnest(:client_ids::bigint[], :event_numbers::bigint[]) w (client_id, event_number)
    cross join lateral (select k.client_id, k.event_number from clients k where k.client_id = w.client_id) c
    where c.event_number > w.event_number`,
  parameters: { client_ids: int8Array, event_numbers: int8Array },
  columns: { client_id: int8, event_number: int8 },
})

const waitingReaders = new Gauge({
  name: 'parts_waiting_readers',
  help: 'Requests that wait for an event.',
})

const pollIntervalMs = 15 // A third of the 50 ms within which an event should reach a waiting reader.
const restPerPoll = 4 // With many readers or a slow PostgreSQL, polling still takes at most a fifth of the time.
const retryIntervalMs = 1_000 // While the database is unavailable.
const readersPerClientMax = 20 // A client program that gives up and retries must not pile up readers.

export interface WaitingReaders {
  /** Resolves to true as soon as the client has an event after the number; to false on timeout, hang-up or close. */
  readonly until: (request: WaitRequest) => Promise<boolean>
  /** Releases all readers, and from then on every new one at once. */
  readonly close: () => void
}

export interface WaitRequest {
  readonly client_id: number
  readonly after: number
  readonly waitMs: number
  /** Registers a callback for when the caller hangs up. */
  readonly whenLeft: (left: () => void) => void
}

interface Reader {
  readonly after: number
  readonly release: (found: boolean) => void
}

export function openWaitingReaders(db: Database, logger: Logger): WaitingReaders {
  const byClient = new Map<number, Set<Reader>>()
  let polling = false
  let closed = false

  async function until({ client_id, after, waitMs, whenLeft }: WaitRequest): Promise<boolean> {
    if (closed) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const readers = byClient.get(client_id) ?? new Set()
    const timer = setTimeout(() => reader.release(false), waitMs)
    const reader: Reader = {
      after,
      release: (found) => {
        clearTimeout(timer)
        if (!readers.delete(reader)) return
        waitingReaders.dec()
        if (readers.size === 0) byClient.delete(client_id)
        resolve(found)
      },
    }
    const [oldest] = readers
    if (readers.size >= readersPerClientMax) oldest?.release(false)
    readers.add(reader)
    byClient.set(client_id, readers)
    waitingReaders.inc()
    whenLeft(() => reader.release(false))
    if (!polling) void pollWhileWaiting()
    return promise
  }

  async function pollWhileWaiting(): Promise<void> {
    polling = true
    for (let restMs = pollIntervalMs; ;) {
      await sleep(restMs, undefined, { ref: false })
      if (byClient.size === 0) break
      const started = performance.now()
      const answered = await poll()
      restMs = answered ? Math.max(pollIntervalMs, (performance.now() - started) * restPerPoll) : retryIntervalMs
    }
    polling = false
  }

  /** False if the database did not answer. The readers keep waiting until their time is over. */
  async function poll(): Promise<boolean> {
    const client_ids = [...byClient.keys()]
    const event_numbers = [...byClient.values()].map((readers) => Math.min(...[...readers].map(({ after }) => after)))
    try {
      for (const { client_id, event_number } of await db.rows(newerEventsSql, { client_ids, event_numbers })) {
        for (const reader of byClient.get(client_id) ?? []) if (reader.after < event_number) reader.release(true)
      }
      return true
    } catch (error) {
      if (!(error instanceof DatabaseTrouble)) logger.error({ err: error }, 'waiting readers could not be served')
      return false
    }
  }

  return {
    until,
    close: () => {
      closed = true
      for (const readers of byClient.values()) for (const reader of readers) reader.release(false)
    },
  }
}
