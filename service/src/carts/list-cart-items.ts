import { cartItemColumns, type CartGroup } from './cart-item.ts'
import { cartColumns, cartOf } from './cart.ts'
import { cartGroupKeyColumns, formatCartGroupKey } from './cart-group-key.ts'
import { itemOf } from '../catalogue/item.ts'
import { stockColumns } from '../catalogue/stock.ts'
import { contractColumns, contractOf } from '../clients/list-contracts.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

/** The same in each row of a group. */
const groupColumns = {
  ...cartGroupKeyColumns,
  ...cartColumns,
  advertising: text,
  ...stockColumns,
  ...contractColumns,
}

const listCartItemsSql = statement(new URL('list-cart-items.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8 },
  // A row with a line has every column; the row of an empty cart has only the cart's.
  columns: { ...groupColumns, ...cartItemColumns, cart_item_id: nullable(int8) },
  shared: groupColumns,
})

/** The lines of a cart by group, each group with the key that orders it. */
export async function listCartItems(db: Database, { client_id }: Actor, cart_id: number): Promise<CartGroup[]> {
  const rows = await db.rows(listCartItemsSql, { client_id, cart_id })
  if (rows.length === 0) throw new Refusal('cart_not_found', { cart_id })
  const groups: CartGroup[] = []
  let group: CartGroup | undefined
  let groupId = 0
  for (const row of rows) {
    const { cart_item_id } = row
    if (cart_item_id === null) continue
    if (group === undefined || row.cart_group_id !== groupId) {
      groupId = row.cart_group_id
      group = {
        cart_group_key: formatCartGroupKey(row),
        cart: cartOf(row),
        stock: { stock_id: row.stock_id, stock_name: row.stock_name },
        advertising: row.advertising,
        contract: contractOf(row),
        cart_items: [],
      }
      groups.push(group)
    }
    group.cart_items.push({ cart_item_id, quantity: row.quantity, price: row.price, item: itemOf(row) })
  }
  return groups
}
