import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const findOrderSql = shortStatement('find-order', {
  sql: `select o.order_id from orders o
    where o.client_id = :client_id and o.order_id = :order_id`,
  parameters: { client_id: int8, order_id: int8 },
  columns: { order_id: int8 },
})

/** Throws if the client has no such order: why nothing was found in it. */
export async function refuseUnknownOrder(db: Database, { client_id }: Actor, order_id: number): Promise<void> {
  if ((await db.row(findOrderSql, { client_id, order_id })) === undefined)
    throw new Refusal('order_not_found', { order_id })
}
