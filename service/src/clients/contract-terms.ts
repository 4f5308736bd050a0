/** The terms of a contract, as the distributor keeps them. */
import Type, { type Static } from 'typebox'
import { bool, int8, numeric, text } from 'pg-statements/types.ts'

export const exampleTerms = {
  contract_id: 7,
  contract_name: 'Supply contract',
  contract_default: true,
  contract_service: false,
  contract_limit: 25_000,
  exposure: 1_221.04,
  price_list_id: 1,
  discount_percent: 5,
  tax_mode: 'included',
  tax_percent: 19,
}

export const ContractTerms = Type.Object(
  {
    contract_id: Type.Integer({ description: 'Names the contract.' }),
    contract_name: Type.String({ description: 'What it is called.' }),
    contract_default: Type.Boolean({ description: 'Whether it is taken where an order names none; one of them is.' }),
    contract_service: Type.Boolean({ description: 'For the client to know; no rule reads it.' }),
    contract_limit: Type.Number({ description: 'What open orders may add up to; 0 for no limit.' }),
    exposure: Type.Number({ description: 'What they add up to now.' }),
    price_list_id: Type.Integer({ description: 'The prices that hold.' }),
    discount_percent: Type.Number({ description: 'What is taken off the goods.' }),
    tax_mode: Type.String({ description: '`included` in the prices, or `added` to them.' }),
    tax_percent: Type.Number({ description: 'The tax.' }),
  },
  { $id: 'ContractTerms', additionalProperties: false, examples: [exampleTerms] },
)
export type ContractTerms = Static<typeof ContractTerms>

/** What is agreed upon, for statements that make a contract. */
export const termsParameters = {
  contract_name: text,
  contract_service: bool,
  contract_limit: numeric,
  price_list_id: int8,
  discount_percent: numeric,
  tax_mode: text,
  tax_percent: numeric,
}

export const termsColumns = { ...termsParameters, contract_id: int8, contract_default: bool, exposure: numeric }

export interface TermsInput {
  readonly contract_name: string
  readonly contract_service?: boolean | undefined
  readonly contract_limit?: number | undefined
  readonly price_list_id: number
  readonly discount_percent?: number | undefined
  readonly tax_mode?: string | undefined
  readonly tax_percent?: number | undefined
}

/** What holds where a new contract says nothing. */
export const defaultTerms = (wish: TermsInput) => ({
  contract_name: wish.contract_name,
  contract_service: wish.contract_service ?? false,
  contract_limit: wish.contract_limit ?? 0,
  price_list_id: wish.price_list_id,
  discount_percent: wish.discount_percent ?? 0,
  tax_mode: wish.tax_mode ?? 'included',
  tax_percent: wish.tax_percent ?? 0,
})
