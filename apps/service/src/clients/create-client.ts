import { termsOf, termsParameters, type TermsInput } from './contract-terms.ts'
import { refuseMissingReferences } from './refuse-missing-references.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, int8Array, nullable, text } from 'pg-statements/types.ts'
import { earlierOperatorAnswer, operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'

const createClientSql = statement(new URL('create-client.sql', import.meta.url), {
  parameters: {
    ...termsParameters,
    client_name: text,
    contact_name: text,
    contact_email: nullable(text),
    stock_ids: int8Array,
    unique_references: bool,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { client_id: int8, contact_id: int8, contract_id: int8 },
  refusedBy: ['contracts_price_list', 'client_stocks_stock', operatorRetryRefusedBy],
})

interface ClientInput extends TermsInput {
  readonly client_name: string
  readonly contact_name: string
  readonly contact_email?: string | undefined
  readonly stock_ids: number[]
  readonly unique_references?: boolean | undefined
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

interface ClientIds {
  readonly client_id: number
  readonly contact_id: number
  readonly contract_id: number
}

/** Creates a client with its first contact and its default contract. Once a key is issued to the contact, it can order. */
export async function createClient(db: Database, input: ClientInput): Promise<ClientIds> {
  const { client_name, contact_name, contact_email = null, stock_ids, unique_references = false } = input
  const { actor, request_id, retry } = input
  const client = { client_name, contact_name, contact_email, stock_ids, unique_references }
  const values = { ...termsOf(input), ...client, actor, request_id, ...retry }
  return settle(
    db,
    { statement: createClientSql, contended: `client ${client_name}` },
    async () =>
      (await db.row(createClientSql, values)) ??
      (await earlierOperatorAnswer<ClientIds>(db, { actor, operation: createClientSql.name }, retry)),
    () => refuseMissingReferences(db, { price_list_id: input.price_list_id, stock_ids }),
  )
}
