import { termsColumns, type ContractTerms, type TermsInput } from '../contract-terms.ts'
import { call, functionCall } from '../../functions/call.ts'
import type { Confirming } from '../../input/expected.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int8, json, nullable, numeric, text } from 'pg-statements/types.ts'

const changeContractSql = functionCall(new URL('change_contract.sql', import.meta.url), {
  parameters: {
    client: int8,
    contract: int8,
    changes: json,
    expected: nullable(numeric),
    confirmed: bool,
    actor: text,
    request_id: text,
  },
  answer: 'contract_answer(:client, :contract, f.refused)',
  columns: termsColumns,
})

interface ContractChanges extends Partial<TermsInput> {
  readonly contract_default?: boolean | undefined
}

interface ContractChange extends Confirming {
  readonly client_id: number
  readonly contract_id: number
  readonly changes: ContractChanges
  readonly actor: string
  readonly request_id: string
}

/** Changes the given fields of a contract. Orders keep the terms under which they were placed. */
export const changeContract = (
  db: Database,
  { client_id: client, contract_id: contract, changes, expected = null, confirmed = false, ...by }: ContractChange,
): Promise<ContractTerms> =>
  call(db, changeContractSql, { client, contract, changes: { ...changes }, expected, confirmed, ...by })
