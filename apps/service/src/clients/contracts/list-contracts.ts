import Type, { type Static } from 'typebox'
import { taxModes } from '../contract-terms.ts'
import type { Actor } from '../../identity/actor.ts'
import { numberOrNull, word } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, numeric, text } from 'pg-statements/types.ts'

export const exampleContract = {
  contract_id: 1,
  contract_name: 'Workshop supply',
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
  { $id: 'Contract', examples: [exampleContract] },
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

export const ContractDetail = Type.Object(
  {
    ...Contract.properties,
    currency_code: Type.String({ description: 'The currency of prices, totals and the limit, as in ISO 4217.' }),
    tax_mode: word(taxModes, 'Included in the prices, or added to them.'),
    tax_percent: Type.Number({ description: 'The tax rate.' }),
    discount_percent: Type.Number({ description: 'The discount on the goods of an order.' }),
    limit_left: numberOrNull('What is left of the limit now; null if there is no limit.'),
  },
  {
    $id: 'ContractDetail',
    description: 'A contract with its terms. They apply to orders from now on; an order keeps its own.',
    examples: [
      {
        ...exampleContract,
        currency_code: 'EUR',
        tax_mode: 'included',
        tax_percent: 19,
        discount_percent: 5,
        limit_left: 23_778.96,
      },
    ],
  },
)
export type ContractDetail = Static<typeof ContractDetail>

const listContractsSql = statement(new URL('list-contracts.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: {
    ...contractColumns,
    currency_code: text,
    tax_mode: text,
    tax_percent: numeric,
    discount_percent: numeric,
    limit_left: nullable(numeric),
  },
})

export function listContracts(db: Database, { client_id }: Actor): Promise<ContractDetail[]> {
  return db.rows(listContractsSql, { client_id })
}
