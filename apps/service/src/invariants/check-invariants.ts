/** The invariants: what must hold for the stored data at any moment. Each is a part of invariants.sql. */
import Type, { type Static } from 'typebox'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { text } from 'pg-statements/types.ts'

export const Violation = Type.Object(
  {
    invariant: Type.String({ description: 'The invariant that is violated.' }),
    violation: Type.String({
      description: 'Where it is violated; after 20 violations of an invariant, how many more there are.',
    }),
  },
  {
    $id: 'Violation',
    examples: [{ invariant: 'I1 reserved within on_hand', violation: 'stock 1, item 1024: reserved 12, on hand 10' }],
  },
)
export type Violation = Static<typeof Violation>

export const invariantsSql = statement(new URL('invariants.sql', import.meta.url), {
  parameters: {},
  columns: { invariant: text, violation: text },
})

/** The settings of sessions that read whole tables; all others look rows up. */
export const wholeTables = ['enable_hashjoin=on', 'enable_mergejoin=on']

/** Reads the whole database, which may take minutes. It wants a session with `wholeTables`. Returns an empty list when all invariants hold. */
export const checkInvariants = (db: Database): Promise<Violation[]> => db.rows(invariantsSql, {})

/**
 * Callers that ask while a check is running get its result. Otherwise a caller that hangs up and asks again would leave a
 * queue of checks behind.
 */
export function sharedInvariantsCheck(db: Database): () => Promise<Violation[]> {
  let running: Promise<Violation[]> | undefined
  return () => {
    running ??= checkInvariants(db).finally(() => {
      running = undefined
    })
    return running
  }
}
