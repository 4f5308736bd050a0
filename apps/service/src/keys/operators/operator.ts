/** An operator as admins see it. */
import Type, { type Static } from 'typebox'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { datetime, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { roleNames } from '../../identity/actor.ts'
import { textOrNull, word, type WordList } from '../../vocabulary/schema-parts.ts'

const roleWords: WordList = { name: 'Role', meaning: 'What an operator may do.', words: roleNames }

export const roleWord = (description: string) => word(roleWords, description)

/** By which company account an operator signs in: names may be the same, subjects of one issuer are not. */
export const account = {
  issuer: textOrNull('The identity provider of its company account; null for an operator with keys only.'),
  subject: textOrNull('Its subject there; null for an operator with keys only, and once it is erased.'),
}

export const ListedOperator = Type.Object(
  {
    operator_id: Type.Integer({ description: 'Identifies the operator in paths and in the log.' }),
    operator_name: Type.String({ description: 'Its present name; `Erased operator` once it is erased.' }),
    ...account,
    created_at: Type.String({ description: 'When its first key was issued, or it first signed in.' }),
    erased_at: textOrNull('When it was erased; null if it was not.'),
    keys: Type.Integer({ description: 'How many keys of it work.' }),
    roles: Type.Array(roleWord('A role.'), { description: 'The roles of its keys that work and of its sessions.' }),
  },
  {
    $id: 'Operator',
    examples: [
      {
        operator_id: 3,
        operator_name: 'Anna Berg',
        issuer: null,
        subject: null,
        created_at: '2026-11-15 09:30:00',
        erased_at: null,
        keys: 1,
        roles: ['decider'],
      },
    ],
  },
)
export type ListedOperator = Static<typeof ListedOperator>

export const operatorColumns = {
  operator_id: int8,
  operator_name: text,
  issuer: nullable(text),
  subject: nullable(text),
  created_at: datetime,
  erased_at: nullable(datetime),
  keys: int8,
  roles: textArray,
}

const findOperatorSql = shortStatement('find-operator', {
  sql: 'select operator_id from operators where operator_id = :operator_id and erased_at is null',
  parameters: { operator_id: int8 },
  columns: { operator_id: int8 },
})

/** Throws unless there is such an operator. */
export async function requireOperator(db: Database, operator_id: number): Promise<void> {
  if ((await db.row(findOperatorSql, { operator_id })) === undefined)
    throw new Refusal('operator_not_found', { operator_id })
}
