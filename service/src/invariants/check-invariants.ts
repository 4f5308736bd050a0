/** Whether the data are as they must be. */
import Type, { type Static } from 'typebox'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { text } from 'pg-statements/types.ts'

export const Violation = Type.Object(
  {
    invariant: Type.String({ description: 'What should always be true.' }),
    violation: Type.String({ description: 'Where it is not; or, after 20 of a kind, how many more there are.' }),
  },
  {
    $id: 'Violation',
    additionalProperties: false,
    examples: [{ invariant: 'I1 reserved within on_hand', violation: 'stock 1, item 1024: reserved 12, on hand 10' }],
  },
)
export type Violation = Static<typeof Violation>

const invariantsSql = statement(new URL('invariants.sql', import.meta.url), {
  parameters: {},
  columns: { invariant: text, violation: text },
})

/**
 * Reads the whole database, which may take minutes. Whoever asks while a check is under way is given its result:
 * a caller who hangs up and asks again and again would otherwise leave a queue of them behind.
 */
export function invariantsCheck(db: Database): () => Promise<Violation[]> {
  let underWay: Promise<Violation[]> | undefined
  return () => {
    underWay ??= db.rows(invariantsSql, {}).finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
