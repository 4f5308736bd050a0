import { contactColumns, type Contact } from '../contact.ts'
import { readClient } from '../read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { earlierOperatorAnswer, operatorRetryRefusedBy, retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'

const createContactSql = statement(new URL('create-contact.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contact_name: text,
    contact_email: nullable(text),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: contactColumns,
  refusedBy: [operatorRetryRefusedBy],
})

interface ContactInput {
  readonly client_id: number
  readonly contact_name: string
  readonly contact_email?: string | undefined
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

/** Adds a contact to a client. Keys are issued to contacts. */
export async function createContact(db: Database, input: ContactInput): Promise<Contact> {
  const { client_id, contact_name, contact_email = null, actor, request_id, retry } = input
  const values = { client_id, contact_name, contact_email, actor, request_id, ...retry }
  return settle(
    db,
    { statement: createContactSql, contended: `client ${client_id}` },
    async () =>
      (await db.row(createContactSql, values)) ??
      (await earlierOperatorAnswer<Contact>(db, { actor, operation: createContactSql.name }, retry)),
    async () => void (await readClient(db, client_id)), // Throws if there is none.
  )
}
