import { cartItemDetailColumns, cartItemOf, type CartGroup } from './cart-item.ts'
import { cartOf } from './cart.ts'
import { makeCartGroupKey } from './cart-group-key.ts'
import { contractOf } from '../clients/list-contracts.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const listCartItemsSql = statement(new URL('list-cart-items.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8 },
  // Where there is a line, everything else is there too; an empty cart has only its own columns.
  columns: { ...cartItemDetailColumns, cart_group_id: int8, cart_item_id: nullable(int8) },
})

/** The lines of a cart in their groups, each group with the key that orders it. */
export async function listCartItems(db: Database, { client_id }: Actor, cart_id: number): Promise<CartGroup[]> {
  const rows = await db.rows(listCartItemsSql, { client_id, cart_id })
  if (rows.length === 0) throw new Refusal('cart_not_found', { cart_id })
  const groups: CartGroup[] = []
  let groupId = 0
  for (const row of rows) {
    const { cart_item_id } = row
    if (cart_item_id === null) continue
    if (row.cart_group_id !== groupId) {
      groupId = row.cart_group_id
      groups.push({
        cart_group_key: String(groupId),
        cart: cartOf(row),
        stock: { stock_id: row.stock_id, stock_name: row.stock_name },
        advertising: row.advertising,
        contract: contractOf(row),
        cart_items: [],
      })
    }
    groups.at(-1)?.cart_items.push(cartItemOf({ ...row, cart_item_id }))
  }
  for (const group of groups) {
    const shown = group.cart_items.map(({ item, quantity, price }) => ({ item_id: item.item_id, quantity, price }))
    group.cart_group_key = makeCartGroupKey(Number(group.cart_group_key), shown)
  }
  return groups
}
