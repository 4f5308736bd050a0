import { cartItemDetailColumns, cartItemDetailOf, type CartItemDetail } from './cart-item.ts'
import { refuseCartItem, type CartItemPath } from './read-cart-item.ts'
import type { Owner } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

const changeQuantitySql = statement(new URL('change-quantity.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8, quantity: int4 },
  columns: cartItemDetailColumns,
})

export async function changeQuantity(
  db: Database,
  actor: Owner,
  { quantity, ...path }: CartItemPath & { quantity: number },
): Promise<CartItemDetail> {
  const row = await db.row(changeQuantitySql, { client_id: actor.client_id, ...path, quantity })
  return row === undefined ? refuseCartItem(db, actor, path) : cartItemDetailOf(row)
}
