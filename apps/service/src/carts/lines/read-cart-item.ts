import { cartItemDetailColumns, cartItemDetailOf, type CartItemDetail } from './cart-item.ts'
import { readCart } from '../read-carts.ts'
import type { Owner } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const readCartItemSql = statement(new URL('read-cart-item.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8 },
  columns: cartItemDetailColumns,
})

export interface CartItemPath {
  readonly cart_id: number
  readonly cart_item_id: number
}

export async function readCartItem(db: Database, actor: Owner, path: CartItemPath): Promise<CartItemDetail> {
  const row = await db.row(readCartItemSql, { client_id: actor.client_id, ...path })
  return row === undefined ? refuseCartItem(db, actor, path) : cartItemDetailOf(row)
}

/** Throws the refusal that says whether the cart or the line is missing. */
export async function refuseCartItem(
  db: Database,
  actor: Owner,
  { cart_id, cart_item_id }: CartItemPath,
): Promise<never> {
  await readCart(db, actor, cart_id)
  throw new Refusal('cart_item_not_found', { cart_id, cart_item_id })
}
