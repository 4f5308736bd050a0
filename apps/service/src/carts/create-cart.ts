import { cartColumns, cartOf, cartsPerClientMax, emptyDaysMax, type Cart } from './cart.ts'
import { traceOf, traceParameters, type Keeper } from './keeper.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int4, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../retries/find-earlier-answer.ts'

const limitParameters = { client_id: int8, carts_max: int4, empty_days_max: int4 }

const createCartSql = statement(new URL('create-cart.sql', import.meta.url), {
  parameters: { ...limitParameters, cart_name: text, ...retryParameters, ...traceParameters },
  columns: cartColumns,
  refusedBy: ['cart_limit_reached', retryRefusedBy],
})
const explainCartLimitSql = statement(new URL('explain-cart-limit.sql', import.meta.url), {
  parameters: limitParameters,
  columns: { limit_reached: bool },
})

export async function createCart(
  db: Database,
  keeper: Keeper,
  { cart_name, retry }: { cart_name: string; retry: Retry },
): Promise<Cart> {
  const { client_id } = keeper
  const limits = { client_id, carts_max: cartsPerClientMax, empty_days_max: emptyDaysMax }
  const cart = await settle(
    db,
    { statement: createCartSql, contended: `carts of client ${client_id}` },
    async () =>
      (await db.row(createCartSql, { ...limits, cart_name, ...retry, ...traceOf(keeper) })) ??
      (await earlierAnswer<Cart>(db, { client_id, operation: createCartSql.name }, retry)),
    () => explain(db, limits),
  )
  return cartOf(cart)
}

async function explain(db: Database, limits: Values<typeof limitParameters>): Promise<void> {
  const found = await db.row(explainCartLimitSql, limits)
  if (found?.limit_reached !== false) throw new Refusal('cart_limit_reached', { limit: cartsPerClientMax })
}
