import { cartColumns, type Cart } from './cart.ts'
import type { Owner } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const listCartsSql = shortStatement('list-carts', {
  sql: `select cart_id, cart_name, virtual
    from carts
    where client_id = :client_id
    order by cart_id`,
  parameters: { client_id: int8 },
  columns: cartColumns,
})

const readCartSql = shortStatement('read-cart', {
  sql: `select cart_id, cart_name, virtual
    from carts
    where client_id = :client_id and cart_id = :cart_id`,
  parameters: { client_id: int8, cart_id: int8 },
  columns: cartColumns,
})

export function listCarts(db: Database, { client_id }: Owner): Promise<Cart[]> {
  return db.rows(listCartsSql, { client_id })
}

export async function readCart(db: Database, { client_id }: Owner, cart_id: number): Promise<Cart> {
  const cart = await db.row(readCartSql, { client_id, cart_id })
  if (cart === undefined) throw new Refusal('cart_not_found', { cart_id })
  return cart
}
