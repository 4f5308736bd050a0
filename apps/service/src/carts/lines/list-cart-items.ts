import { cartItemColumns, cartItemOf, type CartGroup, type CartItem } from './cart-item.ts'
import { cartColumns, cartOf } from '../cart.ts'
import { cartGroupKeyColumns, formatCartGroupKey } from './cart-group-key.ts'
import { availabilityColumns, availabilityOf, totalsColumns, totalsOf, type CartInclude } from './cart-totals.ts'
import { quantityRulesOf } from '../../catalogue/quantities/quantity-rules.ts'
import { netPriceOf } from '../../catalogue/prices/net-price.ts'
import type { Promised } from '../../stock/promise.ts'
import { stockColumns } from '../../stock/stock.ts'
import { totalMax } from '../../clients/amounts.ts'
import { contractColumns, contractOf } from '../../clients/contracts/list-contracts.ts'
import type { Owner } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

/** A row with lines has every column; the row of an empty cart has only the cart's. */
const groupColumns = {
  ...cartGroupKeyColumns,
  ...cartColumns,
  advertising: text,
  ...stockColumns,
  ...contractColumns,
}

const listCartItemsSql = statement(new URL('list-cart-items.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8 },
  columns: { ...groupColumns, lines: nullable(packedRows(cartItemColumns)) },
})

const listFullCartItemsSql = statement(new URL('list-full-cart-items.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, total_max: numeric, promise: bool },
  columns: {
    ...groupColumns,
    ...totalsColumns,
    lines: nullable(packedRows({ ...cartItemColumns, ...availabilityColumns, net_price: numeric, promise: text })),
  },
})

interface CartItemsRequest {
  readonly cart_id: number
  readonly include?: readonly CartInclude[] | undefined
}

/** The lines of a cart by group, each group with the key that orders it. */
export async function listCartItems(
  db: Database,
  { client_id }: Owner,
  { cart_id, include }: CartItemsRequest,
): Promise<CartGroup[]> {
  const groups =
    include === undefined
      ? (await db.rows(listCartItemsSql, { client_id, cart_id })).map((row) => groupOf(row, row.lines?.map(cartItemOf)))
      : (
          await db.rows(listFullCartItemsSql, {
            client_id,
            cart_id,
            total_max: totalMax,
            promise: include.includes('promise'),
          })
        ).map((row) => ({
          ...groupOf(
            row,
            row.lines?.map((line) => ({
              ...cartItemOf(line),
              ...(include.includes('totals') && { availability: availabilityOf(line) }),
              ...(include.includes('net') && { net: netPriceOf({ ...row, ...line }) }),
              ...(include.includes('quantity_rules') && { quantity_rules: quantityRulesOf(line) }),
              ...(line.promise !== '' && { promise: JSON.parse(line.promise) as Promised }),
            })),
          ),
          ...(include.includes('totals') && { totals: totalsOf(row) }),
        }))
  if (groups.length === 0) throw new Refusal('cart_not_found', { cart_id })
  return groups.filter(({ cart_items }) => cart_items.length > 0)
}

const groupOf = (row: Values<typeof groupColumns>, cart_items: CartItem[] = []): CartGroup => ({
  cart_group_key: formatCartGroupKey(row),
  cart: cartOf(row),
  stock: { stock_id: row.stock_id, stock_name: row.stock_name },
  advertising: row.advertising,
  contract: contractOf(row),
  cart_items,
})
