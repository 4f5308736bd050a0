/** A contract with its terms, as operators see it. */
import Type, { type Static } from 'typebox'
import { textOrNull, word, type WordList } from '../vocabulary/schema-parts.ts'
import { bool, int8, nullable, numeric, text } from 'pg-statements/types.ts'

export const taxModes: WordList = {
  name: 'TaxMode',
  meaning: 'Whether tax is `included` in the prices or `added` to them.',
  words: ['included', 'added'],
}

export const exampleTerms = {
  contract_id: 1,
  contract_name: 'Supply contract',
  contract_default: true,
  contract_service: false,
  contract_limit: 25_000,
  exposure: 1_221.04,
  price_list_id: 1,
  discount_percent: 5,
  tax_mode: 'included',
  tax_percent: 19,
  block_reason: null,
}

export const ContractTerms = Type.Object(
  {
    contract_id: Type.Integer({ description: 'Identifies the contract.' }),
    contract_name: Type.String({ description: "The contract's name." }),
    contract_default: Type.Boolean({
      description: 'Whether it applies where no contract is named. A client has exactly one default contract.',
    }),
    contract_service: Type.Boolean({ description: 'Information for the client; the service does not act on it.' }),
    contract_limit: Type.Number({ description: 'The limit for the sum of open orders; 0 for no limit.' }),
    exposure: Type.Number({ description: 'The current sum of open orders.' }),
    price_list_id: Type.Integer({ description: 'The price list that applies.' }),
    discount_percent: Type.Number({ description: 'The discount on the items.' }),
    tax_mode: word(taxModes, 'Included in the prices, or added to them.'),
    tax_percent: Type.Number({ description: 'The tax rate.' }),
    block_reason: textOrNull('Why no new orders are placed under it; null if it is not blocked.'),
  },
  { $id: 'ContractTerms', examples: [exampleTerms] },
)
export type ContractTerms = Static<typeof ContractTerms>

/** The terms, for statements that create a contract. */
export const termsParameters = {
  contract_name: text,
  contract_service: bool,
  contract_limit: numeric,
  price_list_id: int8,
  discount_percent: numeric,
  tax_mode: text,
  tax_percent: numeric,
}

export const termsColumns = {
  ...termsParameters,
  contract_id: int8,
  contract_default: bool,
  exposure: numeric,
  block_reason: nullable(text),
}

export interface TermsInput {
  readonly contract_name: string
  readonly contract_service?: boolean | undefined
  readonly contract_limit?: number | undefined
  readonly price_list_id: number
  readonly discount_percent?: number | undefined
  readonly tax_mode?: string | undefined
  readonly tax_percent?: number | undefined
}

/** The terms of a new contract, with defaults for those that are not given. */
export const termsOf = (input: TermsInput) =>
  ({
    contract_name: input.contract_name,
    contract_service: input.contract_service ?? false,
    contract_limit: input.contract_limit ?? 0,
    price_list_id: input.price_list_id,
    discount_percent: input.discount_percent ?? 0,
    tax_mode: input.tax_mode ?? 'included',
    tax_percent: input.tax_percent ?? 0,
  }) satisfies Record<keyof TermsInput, unknown>
