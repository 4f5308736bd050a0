import { cartColumns, cartOf, cartsPerClientMax, type Cart } from './cart.ts'
import type { Actor } from '../access/actor.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../retries/find-earlier-answer.ts'

const createCartSql = statement(new URL('create-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_name: text, ...retryParameters },
  columns: cartColumns,
  refusedBy: ['cart_limit_reached', retryRefusedBy],
})
const readCartCountSql = statement(new URL('read-cart-count.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: { cart_count: int4 },
})

export async function createCart(
  db: Database,
  { client_id }: Actor,
  { cart_name, retry }: { cart_name: string; retry: Retry },
): Promise<Cart> {
  const cart = await settle(
    db,
    { statement: createCartSql, contended: `carts of client ${client_id}` },
    async () =>
      (await db.row(createCartSql, { client_id, cart_name, ...retry })) ??
      (await earlierAnswer<Cart>(db, { client_id, operation: createCartSql.name }, retry)),
    () => explain(db, client_id),
  )
  return cartOf(cart)
}

async function explain(db: Database, client_id: number): Promise<void> {
  const found = await db.row(readCartCountSql, { client_id })
  if (found === undefined || found.cart_count >= cartsPerClientMax)
    throw new Refusal('cart_limit_reached', { limit: cartsPerClientMax })
}
