import { cartColumns, type Cart } from './cart.ts'
import type { Owner } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const renameCartSql = shortStatement('rename-cart', {
  sql: `update carts set cart_name = :cart_name
    where client_id = :client_id and cart_id = :cart_id
    returning cart_id, cart_name, virtual`,
  parameters: { client_id: int8, cart_id: int8, cart_name: text },
  columns: cartColumns,
})

export async function renameCart(
  db: Database,
  { client_id }: Owner,
  { cart_id, cart_name }: { cart_id: number; cart_name: string },
): Promise<Cart> {
  const cart = await db.row(renameCartSql, { client_id, cart_id, cart_name })
  if (cart === undefined) throw new Refusal('cart_not_found', { cart_id })
  return cart
}
