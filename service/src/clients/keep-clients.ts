import type { OperatorClient } from './client.ts'
import { pageSizeStandard } from '../http/fields.ts'
import { cutPage, decodeCursor, type Page } from '../http/paging.ts'
import type { Database } from '../postgres/database.ts'
import { settle } from '../postgres/settle.ts'
import { statement } from '../postgres/statement.ts'
import { bool, int8, int8Array, json, nullable, numeric, text } from '../postgres/types.ts'
import { Refusal } from '../refusals.ts'

const createClientSql = statement(new URL('create-client.sql', import.meta.url), {
  parameters: {
    client_name: text,
    contact_name: text,
    contact_email: nullable(text),
    contract_name: text,
    contract_service: bool,
    contract_limit: numeric,
    price_list_id: int8,
    discount_percent: numeric,
    tax_mode: text,
    tax_percent: numeric,
    stock_ids: int8Array,
    actor: text,
    request_id: text,
  },
  columns: { client_id: int8 },
  refusedBy: ['contracts_price_list', 'client_stocks_stock'],
})

const explainClientSql = statement(new URL('explain-client.sql', import.meta.url), {
  parameters: { price_list_id: int8, stock_ids: int8Array },
  columns: { price_list_there: bool, unknown_stocks: int8Array },
})

const readClientSql = statement(new URL('read-client.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: { client_id: int8, client_name: text, contacts: json, contracts: json, stocks: json },
})

const listClientsSql = statement(new URL('list-clients.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { client_id: int8, client_name: text },
})

export interface ClientWish {
  readonly client_name: string
  readonly contact_name: string
  readonly contact_email?: string | undefined
  readonly contract_name: string
  readonly contract_service?: boolean | undefined
  readonly contract_limit?: number | undefined
  readonly price_list_id: number
  readonly discount_percent?: number | undefined
  readonly tax_mode?: string | undefined
  readonly tax_percent?: number | undefined
  readonly stock_ids: number[]
  readonly actor: string
  readonly request_id: string
}

/** Makes a client with its first contact and its default contract: from then on a key can be issued, and it can order. */
export async function createClient(db: Database, wish: ClientWish): Promise<{ client_id: number }> {
  const { price_list_id, stock_ids } = wish
  return settle(
    db,
    `client ${wish.client_name}`,
    () =>
      db.row(createClientSql, {
        ...wish,
        contact_email: wish.contact_email ?? null,
        contract_service: wish.contract_service ?? false,
        contract_limit: wish.contract_limit ?? 0,
        discount_percent: wish.discount_percent ?? 0,
        tax_mode: wish.tax_mode ?? 'included',
        tax_percent: wish.tax_percent ?? 0,
      }),
    async () => {
      const found = await db.row(explainClientSql, { price_list_id, stock_ids })
      if (found?.price_list_there === false) throw new Refusal('price_list_not_found', { price_list_id })
      const [stock_id] = found?.unknown_stocks ?? []
      if (stock_id !== undefined) throw new Refusal('stock_not_found', { stock_id })
    },
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
  { limit = pageSizeStandard, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<{ client_id: number; client_name: string }>> {
  const rows = await db.rows(listClientsSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ client_id }) => client_id, [])
}
