import { contactColumns, type Contact } from './contact.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const createContactSql = statement(new URL('create-contact.sql', import.meta.url), {
  parameters: { client_id: int8, contact_name: text, contact_email: nullable(text), actor: text, request_id: text },
  columns: contactColumns,
})

interface ContactInput {
  readonly client_id: number
  readonly contact_name: string
  readonly contact_email?: string | undefined
  readonly actor: string
  readonly request_id: string
}

/** Adds a contact to a client. Keys are issued to contacts. */
export async function createContact(db: Database, input: ContactInput): Promise<Contact> {
  const { client_id, contact_name, contact_email = null, actor, request_id } = input
  const created = await db.row(createContactSql, { client_id, contact_name, contact_email, actor, request_id })
  if (created === undefined) throw new Refusal('client_not_found', { client_id })
  return created
}
