import Type, { type Static } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, numeric, text } from 'pg-statements/types.ts'

export const exampleContract = {
  contract_id: 7,
  contract_name: 'Dealer 2026',
  contract_default: true,
  contract_service: false,
  contract_limit: 25_000,
}

export const Contract = Type.Object(
  {
    contract_id: Type.Integer({ description: 'Identifies the contract in carts.' }),
    contract_name: Type.String({ description: "The distributor's name for the contract." }),
    contract_default: Type.Boolean({ description: 'Whether it applies where no contract is named.' }),
    contract_service: Type.Boolean({ description: 'Information for the client; the service does not act on it.' }),
    contract_limit: Type.Number({
      description: 'The limit for the sum of open orders under the contract; 0 for no limit.',
    }),
  },
  { $id: 'Contract', additionalProperties: false, examples: [exampleContract] },
)
export type Contract = Static<typeof Contract>

/** The columns of a Contract, for statements that join it. */
export const contractColumns = {
  contract_id: int8,
  contract_name: text,
  contract_default: bool,
  contract_service: bool,
  contract_limit: numeric,
}

export const contractOf = (row: Contract): Contract => ({
  contract_id: row.contract_id,
  contract_name: row.contract_name,
  contract_default: row.contract_default,
  contract_service: row.contract_service,
  contract_limit: row.contract_limit,
})

const listContractsSql = statement(new URL('list-contracts.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: contractColumns,
})

export function listContracts(db: Database, { client_id }: Actor): Promise<Contract[]> {
  return db.rows(listContractsSql, { client_id })
}
