import { cartColumns, cartsPerClientMax, type Cart } from './cart.ts'
import type { Actor } from '../http/actor.ts'
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { int8, text } from '../postgres/types.ts'
import { Refusal } from '../refusals.ts'

const createCartSql = statement(new URL('create-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_name: text },
  columns: cartColumns,
  refusedBy: ['cart_limit_reached'],
})

export async function createCart(db: Database, { client_id }: Actor, cart_name: string): Promise<Cart> {
  const cart = await db.row(createCartSql, { client_id, cart_name })
  if (cart === undefined) throw new Refusal('cart_limit_reached', { limit: cartsPerClientMax })
  return cart
}
