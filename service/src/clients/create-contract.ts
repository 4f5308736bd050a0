import { defaultTerms, termsColumns, termsParameters, type ContractTerms, type TermsInput } from './contract-terms.ts'
import { readClient } from './read-client.ts'
import { refuseUnknown } from './refuse-missing-references.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'

const createContractSql = statement(new URL('create-contract.sql', import.meta.url), {
  parameters: { ...termsParameters, client_id: int8, contract_default: bool, actor: text, request_id: text },
  columns: termsColumns,
  refusedBy: ['contracts_price_list', 'contracts_one_default'],
})

interface ContractInput extends TermsInput {
  readonly client_id: number
  readonly contract_default?: boolean | undefined
  readonly actor: string
  readonly request_id: string
}

/** Makes a further contract of a client; as the default, it takes that mark from the one that had it. */
export async function createContract(db: Database, wish: ContractInput): Promise<ContractTerms> {
  const { client_id, contract_default = false } = wish
  return settle(
    db,
    `client ${client_id}`,
    () => db.row(createContractSql, { ...wish, ...defaultTerms(wish), contract_default }),
    async () => {
      await readClient(db, client_id) // Refuses if there is none.
      await refuseUnknown(db, wish)
    },
  )
}
