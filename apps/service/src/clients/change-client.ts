import type { ServedClient, ServingStock } from './client.ts'
import { readClient } from './read-client.ts'
import { refuseMissingReferences } from './refuse-missing-references.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, int8Array, json, jsonOf, nullable, text } from 'pg-statements/types.ts'

const changeClientSql = statement(new URL('change-client.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    client_name: nullable(text),
    stock_ids: nullable(int8Array),
    unique_references: nullable(bool),
    changes: json,
    actor: text,
    request_id: text,
  },
  columns: { client_id: int8, client_name: text, unique_references: bool, stocks: jsonOf<ServingStock[]>() },
  refusedBy: ['client_stocks_stock'],
})

interface ClientChange {
  readonly client_id: number
  readonly changes: {
    readonly client_name?: string | undefined
    readonly stock_ids?: number[] | undefined
    readonly unique_references?: boolean | undefined
  }
  readonly actor: string
  readonly request_id: string
}

/**
 * Changes a client's name or setting, or replaces the stocks that serve it. Cart items stay, but they cannot be ordered
 * from a stock that no longer serves the client.
 */
export async function changeClient(db: Database, input: ClientChange): Promise<ServedClient> {
  const { client_id, changes, actor, request_id } = input
  const { client_name = null, stock_ids = null, unique_references = null } = changes
  const values = { client_id, client_name, stock_ids, unique_references, changes: { ...changes }, actor, request_id }
  return settle(
    db,
    { statement: changeClientSql, contended: `client ${client_id}` },
    () => db.row(changeClientSql, values),
    async () => {
      await readClient(db, client_id) // Throws if there is none.
      await refuseMissingReferences(db, { stock_ids: changes.stock_ids })
    },
  )
}
