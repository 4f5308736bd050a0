import assert from 'node:assert/strict'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

const recordPersonSql = shortStatement('record-person', {
  sql: `insert into operators (issuer, subject, operator_name) values (:issuer, :subject, :operator_name)
    on conflict on constraint operators_person_is_unique do update set operator_name = excluded.operator_name
    returning operator_id`,
  parameters: { issuer: text, subject: text, operator_name: text },
  columns: { operator_id: int8 },
})

/** The operator who is this person at the identity provider, under the name that it has there now. */
export async function recordPerson(
  db: Database,
  person: { issuer: string; subject: string; operator_name: string },
): Promise<number> {
  const row = await db.row(recordPersonSql, person)
  assert(row)
  return row.operator_id
}
