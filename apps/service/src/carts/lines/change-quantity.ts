import { cartItemDetailColumns, cartItemDetailOf, type CartItemDetail } from './cart-item.ts'
import { refuseCartItem, type CartItemPath } from './read-cart-item.ts'
import { traceOf, traceParameters, type Keeper } from '../keeper.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

const changeQuantitySql = statement(new URL('change-quantity.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8, quantity: int4, ...traceParameters },
  columns: cartItemDetailColumns,
})

export async function changeQuantity(
  db: Database,
  keeper: Keeper,
  { quantity, ...path }: CartItemPath & { quantity: number },
): Promise<CartItemDetail> {
  const row = await db.row(changeQuantitySql, { client_id: keeper.client_id, ...path, ...traceOf(keeper), quantity })
  return row === undefined ? refuseCartItem(db, keeper, path) : cartItemDetailOf(row)
}
