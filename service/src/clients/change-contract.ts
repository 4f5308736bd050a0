import { termsColumns, type ContractTerms, type TermsInput } from './contract-terms.ts'
import { readClient } from './read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, json, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const changeContractSql = statement(new URL('change-contract.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contract_id: int8,
    contract_name: nullable(text),
    contract_default: nullable(bool),
    contract_service: nullable(bool),
    contract_limit: nullable(numeric),
    price_list_id: nullable(int8),
    discount_percent: nullable(numeric),
    tax_mode: nullable(text),
    tax_percent: nullable(numeric),
    expected: nullable(numeric),
    changes: json,
    actor: text,
    request_id: text,
  },
  columns: termsColumns,
  refusedBy: ['contracts_price_list', 'contracts_one_default'],
})

const explainContractSql = statement(new URL('explain-contract.sql', import.meta.url), {
  parameters: { client_id: int8, contract_id: int8, price_list_id: nullable(int8) },
  columns: {
    contract_default: bool,
    contract_limit: numeric,
    currency_code: text,
    other_currency_code: nullable(text),
  },
})

interface ContractChanges extends Partial<TermsInput> {
  readonly contract_default?: boolean | undefined
}

interface ContractChange {
  readonly client_id: number
  readonly contract_id: number
  readonly changes: ContractChanges
  /** The present limit, to confirm that it is removed. */
  readonly expected?: number | undefined
  readonly actor: string
  readonly request_id: string
}

/** Changes the given fields of a contract. Orders keep the terms under which they were placed. */
export async function changeContract(db: Database, input: ContractChange): Promise<ContractTerms> {
  const { client_id, contract_id, changes, expected = null, actor, request_id } = input
  const fields = {
    contract_name: changes.contract_name ?? null,
    contract_default: changes.contract_default ?? null,
    contract_service: changes.contract_service ?? null,
    contract_limit: changes.contract_limit ?? null,
    price_list_id: changes.price_list_id ?? null,
    discount_percent: changes.discount_percent ?? null,
    tax_mode: changes.tax_mode ?? null,
    tax_percent: changes.tax_percent ?? null,
  } satisfies Record<keyof ContractChanges, unknown>
  return settle(
    db,
    { statement: changeContractSql, contended: `client ${client_id}` },
    () =>
      db.row(changeContractSql, {
        ...fields,
        client_id,
        contract_id,
        expected,
        changes: { ...changes },
        actor,
        request_id,
      }),
    () => explain(db, input),
  )
}

async function explain(db: Database, { client_id, contract_id, changes, expected }: ContractChange): Promise<void> {
  const { contract_default, contract_limit, price_list_id } = changes
  const found = await db.row(explainContractSql, {
    client_id,
    contract_id,
    price_list_id: price_list_id ?? null,
  })
  if (found === undefined) {
    await readClient(db, client_id) // Throws if there is none.
    throw new Refusal('contract_not_found', { contract_id })
  }
  const { contract_limit: before, currency_code, other_currency_code } = found
  if (found.contract_default && contract_default === false) throw new Refusal('contract_is_default', { contract_id })
  if (price_list_id !== undefined) {
    if (other_currency_code === null) throw new Refusal('price_list_not_found', { price_list_id })
    if (other_currency_code !== currency_code)
      throw new Refusal('price_list_currency_differs', {
        price_list_id,
        currency_code: other_currency_code,
        contract_id,
        contract_currency_code: currency_code,
      })
  }
  if (contract_limit === 0 && before !== 0 && before !== expected)
    throw new Refusal('confirmation_required', { change: 'contract_limit', before, after: 0 })
}
