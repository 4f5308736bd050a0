import type { OperatorClient, ServingStock } from './client.ts'
import type { Contact } from './contact.ts'
import type { ContractTerms } from './contract-terms.ts'
import type { Metadata } from '../input/metadata.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, jsonOf, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const readClientSql = statement(new URL('read-client.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: {
    client_id: int8,
    client_name: text,
    unique_references: bool,
    block_reason: nullable(text),
    contacts: jsonOf<Contact[]>(),
    contracts: jsonOf<ContractTerms[]>(),
    stocks: jsonOf<ServingStock[]>(),
    metadata: jsonOf<Metadata>(),
  },
})

/** Throws the refusal `client_not_found` if there is none. */
export async function readClient(db: Database, client_id: number): Promise<OperatorClient> {
  const client = await db.row(readClientSql, { client_id })
  if (client === undefined) throw new Refusal('client_not_found', { client_id })
  return client
}
