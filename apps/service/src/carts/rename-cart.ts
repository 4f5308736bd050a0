import { cartColumns, type Cart } from './cart.ts'
import { traceOf, traceParameters, type Keeper } from './keeper.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const renameCartSql = statement(new URL('rename-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_name: text, ...traceParameters },
  columns: cartColumns,
})

export async function renameCart(
  db: Database,
  keeper: Keeper,
  { cart_id, cart_name }: { cart_id: number; cart_name: string },
): Promise<Cart> {
  const { client_id } = keeper
  const cart = await db.row(renameCartSql, { client_id, cart_id, cart_name, ...traceOf(keeper) })
  if (cart === undefined) throw new Refusal('cart_not_found', { cart_id })
  return cart
}
