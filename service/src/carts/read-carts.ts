import { cartColumns, type Cart } from './cart.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const listCartsSql = statement(new URL('list-carts.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: cartColumns,
})

const readCartSql = statement(new URL('read-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8 },
  columns: cartColumns,
})

export function listCarts(db: Database, { client_id }: Actor): Promise<Cart[]> {
  return db.rows(listCartsSql, { client_id })
}

export async function readCart(db: Database, { client_id }: Actor, cart_id: number): Promise<Cart> {
  const cart = await db.row(readCartSql, { client_id, cart_id })
  if (cart === undefined) throw new Refusal('cart_not_found', { cart_id })
  return cart
}
