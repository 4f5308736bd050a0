import { cartItemDetailColumns, cartItemDetailOf, type CartItemDetail } from './cart-item.ts'
import { refuseCartItem, type CartItemPath } from './read-cart-item.ts'
import { traceOf, traceParameters, type Keeper } from '../keeper.ts'
import { nextQuantityColumns, refuseQuantity } from '../../catalogue/quantities/quantity-rules.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

const changeQuantitySql = statement(new URL('change-quantity.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8, quantity: int4, ...traceParameters },
  columns: cartItemDetailColumns,
})
const explainQuantitySql = shortStatement('explain-quantity', {
  sql: `select i.item_id, coalesce(i.quantity_min, 1) as quantity_min, coalesce(i.quantity_multiple, 1) as quantity_multiple,
      next_quantity(:quantity, i.quantity_min, i.quantity_multiple) as next_quantity
    from cart_items l join cart_groups g using (client_id, cart_group_id) join items i on i.item_id = l.item_id
    where l.client_id = :client_id and l.cart_item_id = :cart_item_id and g.cart_id = :cart_id`,
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8, quantity: int4 },
  columns: { item_id: int8, ...nextQuantityColumns },
})

export async function changeQuantity(
  db: Database,
  keeper: Keeper,
  { quantity, ...path }: CartItemPath & { quantity: number },
): Promise<CartItemDetail> {
  const line = { client_id: keeper.client_id, ...path, quantity }
  const row = await settle(
    db,
    { statement: changeQuantitySql, contended: `cart ${path.cart_id}` },
    () => db.row(changeQuantitySql, { ...line, ...traceOf(keeper) }),
    async () => {
      const found = await db.row(explainQuantitySql, line)
      if (found === undefined) await refuseCartItem(db, keeper, path)
      else refuseQuantity({ ...found, quantity })
    },
  )
  return cartItemDetailOf(row)
}
