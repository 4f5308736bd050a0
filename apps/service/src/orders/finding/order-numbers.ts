import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, int8Array } from 'pg-statements/types.ts'

/** The ids of the orders with these numbers. */
const findOrderIdsSql = shortStatement('find-order-ids', {
  sql: `select order_id, order_number from orders
    where order_number = any(:order_numbers)`,
  parameters: { order_numbers: int8Array },
  columns: { order_id: int8, order_number: int8 },
})

/** The id of each order by its number. A number that no order has is missing. */
export async function findOrderIds(db: Database, order_numbers: readonly number[]): Promise<Map<number, number>> {
  const found = await db.rows(findOrderIdsSql, { order_numbers: [...order_numbers] })
  return new Map(found.map(({ order_id, order_number }) => [order_number, order_id]))
}
