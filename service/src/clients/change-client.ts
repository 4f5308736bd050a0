import type { ServedClient } from './client.ts'
import { readClient } from './read-client.ts'
import { refuseUnknown } from './refuse-missing-references.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, int8Array, json, nullable, text } from 'pg-statements/types.ts'

const changeClientSql = statement(new URL('change-client.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    client_name: nullable(text),
    stock_ids: nullable(int8Array),
    changes: json,
    actor: text,
    request_id: text,
  },
  columns: { client_id: int8, client_name: text, stocks: json },
  refusedBy: ['client_stocks_stock'],
})

interface ClientChange {
  readonly client_id: number
  readonly changes: { readonly client_name?: string | undefined; readonly stock_ids?: number[] | undefined }
  readonly actor: string
  readonly request_id: string
}

/** Changes a client's name, or the stocks that serve it. Carts keep what lies in them; it cannot be ordered from a stock that no longer serves. */
export async function changeClient(db: Database, { changes, ...rest }: ClientChange): Promise<ServedClient> {
  const { client_name = null, stock_ids = null } = changes
  const changed = await settle(
    db,
    `client ${rest.client_id}`,
    () => db.row(changeClientSql, { ...rest, client_name, stock_ids, changes: { ...changes } }),
    async () => {
      await readClient(db, rest.client_id) // Refuses if there is none.
      await refuseUnknown(db, changes)
    },
  )
  return changed as unknown as ServedClient
}
