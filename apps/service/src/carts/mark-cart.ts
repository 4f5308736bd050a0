import { cartColumns, type Cart } from './cart.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const markCartSql = statement(new URL('mark-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, virtual: bool, actor: text, request_id: text },
  columns: cartColumns,
})

/** Sets whether orders placed from the cart are virtual. */
export async function markCart(
  db: Database,
  mark: { client_id: number; cart_id: number; virtual: boolean; actor: string; request_id: string },
): Promise<Cart> {
  const cart = await db.row(markCartSql, mark)
  if (cart === undefined) throw new Refusal('cart_not_found', { cart_id: mark.cart_id })
  return cart
}
