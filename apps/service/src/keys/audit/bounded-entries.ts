/**
 * Audit entries that somebody may cause at any rate: failed sign-ins, refusals and downloads. Each actor leaves at most two in a
 * minute, and then one a minute: one entry counts what happened since the one before.
 */
import type { Logger } from 'pino'
import type { AuditAction } from './audit-entry.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, json, text } from 'pg-statements/types.ts'

const recordAuditEntrySql = shortStatement('record-audit-entry', {
  sql: `insert into audit_entries (audit_action, new_value, actor, request_id)
    values (:audit_action, :new_value, :actor, :request_id)
    returning audit_id`,
  parameters: { audit_action: text, new_value: json, actor: text, request_id: text },
  columns: { audit_id: int8 },
})

/** For what an operator cannot do often: its rate limit bounds it. */
export const recordRefusedSignIn = (
  db: Database,
  { actor, request_id }: { actor: string; request_id: string },
): Promise<unknown> =>
  db.row(recordAuditEntrySql, {
    audit_action: 'sign_in_failed',
    actor,
    request_id,
    new_value: { refused: 'key_sign_in_off' },
  })

export const boundedEntriesMs = 60_000
const actorsMax = 100 // Of failed sign-ins in a minute. The others share an entry.
const valuesMax = 20 // More are only counted.

export interface BoundedEntry {
  readonly audit_action: AuditAction
  readonly actor: string
  readonly request_id: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface BoundedEntries {
  /** Stored when it resolves, unless the actor has left such an entry within the last minute. */
  readonly first: (entry: BoundedEntry) => Promise<void>
  /** Stored within a minute. A process that is killed loses it. */
  readonly later: (entry: BoundedEntry) => void
  /** Stores what is left. */
  readonly close: () => Promise<void>
}

/** What the next entry of an actor will say. */
interface Pending {
  readonly audit_action: AuditAction
  readonly actor: string
  request_id: string
  times: number
  values: BoundedEntry['value'][]
}

export function openBoundedEntries(
  db: Database,
  { everyMs, logger }: { everyMs: number; logger: Logger },
): BoundedEntries {
  const pending = new Map<string, Pending>()
  let writing = Promise.resolve()
  const timer = setInterval(flush, everyMs).unref()

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    for (const [name, one] of pending) {
      if (one.times === 0) pending.delete(name)
      else
        await write(one).catch((error: unknown) =>
          logger.warn(
            { err: error, audit_action: one.audit_action },
            'an audit entry could not be written; trying again',
          ),
        )
    }
  }

  async function write(one: Pending): Promise<void> {
    const { audit_action, actor, request_id, times, values } = one
    await db.row(recordAuditEntrySql, { audit_action, actor, request_id, new_value: { times, of: values } })
    one.times -= times // Others may have been added meanwhile.
    one.values = one.values.slice(values.length)
  }

  function add({ audit_action, actor, request_id, value }: BoundedEntry): Pending {
    const name = `${audit_action} ${actor}`
    const one = pending.get(name) ?? { audit_action, actor, request_id, times: 0, values: [] }
    pending.set(name, one)
    if (one.times++ === 0) one.request_id = request_id
    if (one.values.length < valuesMax) one.values = [...one.values, value]
    return one
  }

  return {
    first: async (entry) => {
      if (pending.has(`${entry.audit_action} ${entry.actor}`)) add(entry)
      else await write(add(entry))
    },
    later: (entry) => {
      const known = pending.has(`${entry.audit_action} ${entry.actor}`)
      add(known || pending.size < actorsMax ? entry : { ...entry, actor: 'unknown at other addresses' })
    },
    close: () => {
      clearInterval(timer)
      return flush()
    },
  }
}
