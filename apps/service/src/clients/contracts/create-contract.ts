import { termsColumns, termsOf, termsParameters, type ContractTerms, type TermsInput } from '../contract-terms.ts'
import { readClient } from '../read-client.ts'
import { refuseMissingReferences } from '../refuse-missing-references.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'
import { earlierOperatorAnswer, operatorRetryRefusedBy, retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'

const createContractSql = statement(new URL('create-contract.sql', import.meta.url), {
  parameters: {
    ...termsParameters,
    client_id: int8,
    contract_default: bool,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: termsColumns,
  refusedBy: ['contracts_price_list', 'contracts_one_default', operatorRetryRefusedBy],
})

interface ContractInput extends TermsInput {
  readonly client_id: number
  readonly contract_default?: boolean | undefined
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

/** Adds a contract to a client. If it is the new default, the previous default loses the mark. */
export async function createContract(db: Database, input: ContractInput): Promise<ContractTerms> {
  const { client_id, contract_default = false, actor, request_id, retry } = input
  const values = { ...termsOf(input), client_id, contract_default, actor, request_id, ...retry }
  return settle(
    db,
    { statement: createContractSql, contended: `client ${client_id}` },
    async () =>
      (await db.row(createContractSql, values)) ??
      (await earlierOperatorAnswer<ContractTerms>(db, { actor, operation: createContractSql.name }, retry)),
    async () => {
      await readClient(db, client_id) // Throws if there is none.
      await refuseMissingReferences(db, { price_list_id: input.price_list_id })
    },
  )
}
