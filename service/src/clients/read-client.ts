import type { OperatorClient } from './client.ts'
import { defaultTerms, termsParameters, type TermsInput } from './contract-terms.ts'
import { refuseUnknown } from './refuse-missing-references.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, int8Array, json, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const createClientSql = statement(new URL('create-client.sql', import.meta.url), {
  parameters: {
    ...termsParameters,
    client_name: text,
    contact_name: text,
    contact_email: nullable(text),
    stock_ids: int8Array,
    actor: text,
    request_id: text,
  },
  columns: { client_id: int8 },
  refusedBy: ['contracts_price_list', 'client_stocks_stock'],
})

const readClientSql = statement(new URL('read-client.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: { client_id: int8, client_name: text, contacts: json, contracts: json, stocks: json },
})

const listClientsSql = statement(new URL('list-clients.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { client_id: int8, client_name: text },
})

export interface ClientInput extends TermsInput {
  readonly client_name: string
  readonly contact_name: string
  readonly contact_email?: string | undefined
  readonly stock_ids: number[]
  readonly actor: string
  readonly request_id: string
}

/** Makes a client with its first contact and its default contract: from then on a key can be issued, and it can order. */
export async function createClient(db: Database, wish: ClientInput): Promise<{ client_id: number }> {
  return settle(
    db,
    `client ${wish.client_name}`,
    () => db.row(createClientSql, { ...wish, ...defaultTerms(wish), contact_email: wish.contact_email ?? null }),
    () => refuseUnknown(db, wish),
  )
}

export async function readClient(db: Database, client_id: number): Promise<OperatorClient> {
  const client = await db.row(readClientSql, { client_id })
  if (client === undefined) throw new Refusal('client_not_found', { client_id })
  return client as unknown as OperatorClient
}

/** In the order of their ids. */
export async function listClients(
  db: Database,
  { limit = pageSizeDefault, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<{ client_id: number; client_name: string }>> {
  const rows = await db.rows(listClientsSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ client_id }) => client_id, [])
}
