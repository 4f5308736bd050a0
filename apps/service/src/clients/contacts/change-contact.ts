import { contactColumns, type Contact } from '../contact.ts'
import { readClient } from '../read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const changeContactSql = statement(new URL('change-contact.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contact_id: int8,
    contact_name: nullable(text),
    contact_email: nullable(text),
    actor: text,
    request_id: text,
  },
  columns: contactColumns,
})

interface ContactChange {
  readonly client_id: number
  readonly contact_id: number
  readonly contact_name?: string | undefined
  readonly contact_email?: string | undefined
  readonly actor: string
  readonly request_id: string
}

/** Changes the given fields of a contact. */
export async function changeContact(db: Database, input: ContactChange): Promise<Contact> {
  const { client_id, contact_id, contact_name = null, contact_email = null, actor, request_id } = input
  const values = { client_id, contact_id, contact_name, contact_email, actor, request_id }
  const changed = await db.row(changeContactSql, values)
  if (changed === undefined) {
    await readClient(db, client_id) // Throws if there is none.
    throw new Refusal('contact_not_found', { client_id, contact_id })
  }
  return changed
}
