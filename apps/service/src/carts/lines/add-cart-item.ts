import assert from 'node:assert/strict'
import { linesPerCartMax } from '../cart.ts'
import type { UnsoldItem } from './cart-row.ts'
import { cartItemColumns, cartItemOf, type CartItem } from './cart-item.ts'
import { traceOf, traceParameters, type Keeper } from '../keeper.ts'
import { nextQuantityColumns, refuseQuantity } from '../../catalogue/quantities/quantity-rules.ts'
import { quantityMax } from '../../input/fields.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, plainJsonOf, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../../retries/find-earlier-answer.ts'

const lineParameters = {
  client_id: int8,
  cart_id: int8,
  item_id: int8,
  stock_id: int8,
  contract_id: nullable(int8),
  advertising: text,
}

const addCartItemSql = statement(new URL('add-cart-item.sql', import.meta.url), {
  parameters: { ...lineParameters, quantity: int4, ...retryParameters, ...traceParameters },
  columns: cartItemColumns,
  // If the cart is deleted concurrently, the foreign key of the group or the line refuses the statement.
  refusedBy: ['cart_is_full', 'line_quantity_exceeded', 'cart_groups_cart', 'cart_items_group', retryRefusedBy],
})

const explainCartItemSql = statement(new URL('explain-cart-item.sql', import.meta.url), {
  parameters: { ...lineParameters, quantity: int4 },
  columns: {
    cart_there: bool,
    line_count: int4,
    item_there: bool,
    on_sale: bool,
    unsold: nullable(plainJsonOf<UnsoldItem>()),
    stock_there: bool,
    stock_serving: bool,
    contract_id: nullable(int8),
    priced: bool,
    in_cart: int4,
    ...nextQuantityColumns,
  },
})

type CartItemRow = Values<typeof cartItemColumns>

interface CartItemInput {
  readonly cart_id: number
  readonly item_id: number
  readonly stock_id: number
  readonly quantity: number
  readonly for_advertising_budget?: string | undefined
  readonly contract_id?: number | undefined
  readonly retry: Retry
}

/** Adds an item to a cart. The line returned shows the total quantity, including what was there before. */
export async function addCartItem(db: Database, keeper: Keeper, input: CartItemInput): Promise<CartItem> {
  const { client_id } = keeper
  const { cart_id, item_id, stock_id, quantity, for_advertising_budget: advertising = '', contract_id = null } = input
  const { retry } = input
  const named = { client_id, cart_id, item_id, stock_id, contract_id, advertising }
  const line = await settle(
    db,
    { statement: addCartItemSql, contended: `cart ${cart_id}` },
    async () =>
      (await db.row(addCartItemSql, { ...named, quantity, ...retry, ...traceOf(keeper) })) ??
      (await earlierAnswer<CartItemRow>(db, { client_id, operation: addCartItemSql.name }, retry)),
    () => explain(db, named, quantity),
  )
  return cartItemOf(line)
}

async function explain(db: Database, named: Values<typeof lineParameters>, quantity: number): Promise<void> {
  const { cart_id, item_id, stock_id } = named
  const found = await db.row(explainCartItemSql, { ...named, quantity })
  assert(found)
  if (!found.cart_there) throw new Refusal('cart_not_found', { cart_id })
  if (!found.item_there) throw new Refusal('item_not_found', { item_id }, { field: 'item_id' })
  if (!found.stock_there) throw new Refusal('stock_not_found', { stock_id }, { field: 'stock_id' })
  if (found.contract_id === null)
    throw new Refusal('contract_not_found', { contract_id: named.contract_id ?? 0 }, { field: 'contract_id' })
  if (!found.on_sale) throw new Refusal('item_not_on_sale', found.unsold ?? { item_id }, { field: 'item_id' })
  if (!found.stock_serving) throw new Refusal('stock_not_serving', { stock_id }, { field: 'stock_id' })
  if (!found.priced)
    throw new Refusal('item_not_priced', { item_id, contract_id: found.contract_id }, { field: 'item_id' })
  if (found.in_cart + quantity > quantityMax) {
    throw new Refusal('line_quantity_exceeded', {
      item_id,
      in_cart: found.in_cart,
      requested: quantity,
      limit: quantityMax,
    })
  }
  refuseQuantity({ ...found, item_id, quantity: found.in_cart + quantity })
  if (found.in_cart === 0 && found.line_count >= linesPerCartMax)
    throw new Refusal('cart_full', { cart_id, limit: linesPerCartMax })
}
