import { contactColumns, type Contact } from './contact.ts'
import { readClient } from './read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const createContactSql = statement(new URL('create-contact.sql', import.meta.url), {
  parameters: { client_id: int8, contact_name: text, contact_email: nullable(text), actor: text, request_id: text },
  columns: contactColumns,
})

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

interface By {
  readonly client_id: number
  readonly actor: string
  readonly request_id: string
}

/** Adds somebody to whom keys can be issued. */
export async function createContact(
  db: Database,
  wish: By & { contact_name: string; contact_email?: string | undefined },
): Promise<Contact> {
  const { client_id, contact_email = null } = wish
  const made = await db.row(createContactSql, { ...wish, contact_email })
  if (made === undefined) throw new Refusal('client_not_found', { client_id })
  return made
}

export async function changeContact(
  db: Database,
  wish: By & { contact_id: number; contact_name?: string | undefined; contact_email?: string | undefined },
): Promise<Contact> {
  const { client_id, contact_id, contact_name = null, contact_email = null } = wish
  const changed = await db.row(changeContactSql, { ...wish, contact_name, contact_email })
  if (changed === undefined) {
    await readClient(db, client_id) // Refuses if there is none.
    throw new Refusal('contact_not_found', { client_id, contact_id })
  }
  return changed
}
