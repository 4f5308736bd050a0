import { termsColumns, type ContractTerms } from '../contract-terms.ts'
import { readClient } from '../read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const blockContractSql = statement(new URL('block-contract.sql', import.meta.url), {
  parameters: { client_id: int8, contract_id: int8, reason: nullable(text), actor: text, request_id: text },
  columns: termsColumns,
})

/** Null ends the block. A second block with another reason replaces the reason. */
export function blockContract(
  db: Database,
  request: { client_id: number; contract_id: number; reason: string | null; actor: string; request_id: string },
): Promise<ContractTerms> {
  const { client_id, contract_id } = request
  return settle(
    db,
    { statement: blockContractSql, contended: `client ${client_id}` },
    () => db.row(blockContractSql, request),
    async () => {
      const { contracts } = await readClient(db, client_id) // Throws if there is none.
      if (!contracts.some((contract) => contract.contract_id === contract_id))
        throw new Refusal('contract_not_found', { contract_id })
    },
  )
}
