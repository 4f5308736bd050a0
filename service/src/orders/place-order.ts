import {
  cartGroupKeyColumns,
  formatCartGroupKey,
  parseCartGroupKey,
  type CartGroupKey,
} from '../carts/cart-group-key.ts'
import { numericOverflow, totalMax } from '../clients/amounts.ts'
import { orderInputDigest, orderInputParameters, orderInputValues, type OrderInput } from './order-input.ts'
import { regionProblems } from '../catalogue/countries.ts'
import { printable } from '../input/printable.ts'
import { Counter } from 'prom-client'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, bytes, int4, int8, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../refusals.ts'

export const placedOrders = new Counter({
  name: 'parts_orders_placed_total',
  help: 'Orders placed; a repeated request that finds its order is not counted again.',
})

const groupParameters = { client_id: int8, ...cartGroupKeyColumns }

/** The constraints by which placing an order is refused. */
export const placingRefusedBy = [
  'contract_limit_exceeded',
  'out_of_stock',
  'every_line_reserved',
  'reference_used',
  'client_not_blocked',
  'orders_contact',
  numericOverflow,
]

const placeOrderSql = statement(new URL('place-order.sql', import.meta.url), {
  parameters: {
    ...groupParameters,
    ...orderInputParameters,
    request_digest: bytes,
    contact_id: nullable(int8),
    remark: text,
    actor: text,
    request_id: text,
  },
  columns: { created_order_id: int8 },
  refusedBy: placingRefusedBy,
})

const findPlacedOrderSql = statement(new URL('find-placed-order.sql', import.meta.url), {
  parameters: { ...groupParameters, request_digest: bytes },
  columns: { order_id: int8, same: bool },
})

const explainOrderSql = statement(new URL('explain-order.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    cart_group_id: int8,
    contact_id: nullable(int8),
    reference: nullable(text),
    total_max: numeric,
  },
  columns: {
    ...cartGroupKeyColumns,
    stock_id: int8,
    stock_serving: bool,
    contact_known: bool,
    client_block_reason: nullable(text),
    contract_block_reason: nullable(text),
    contract_id: int8,
    contract_limit: numeric,
    exposure: numeric,
    total: numeric,
    over_limit: bool,
    too_large: bool,
    item_id: int8,
    quantity: int4,
    price: numeric,
    priced: bool,
    on_sale: bool,
    available: nullable(int8),
    referring_order: nullable(int8),
  },
})

/** For whom an order is placed, and by whom. */
export interface Ordering {
  readonly client_id: number
  /** Null means the client's first contact. */
  readonly contact_id: number | null
  /** In the first entry of the history. */
  readonly remark: string
  readonly actor: string
  readonly request_id: string
}

/** Turns a cart group into an order, exactly once: repeating the request always returns the same order. */
export async function placeOrder(
  db: Database,
  ordering: Ordering,
  { cart_group_key, ...input }: OrderInput & { cart_group_key: string },
): Promise<{ created_order_id: number }> {
  const { client_id, contact_id, remark, actor, request_id } = ordering
  const problems = regionProblems(input.country_code, input.region_code)
  if (problems.length > 0) throw new Refusal(problems)
  const key = parseCartGroupKey(cart_group_key)
  if (key === undefined) throw groupNotFound(printable(cart_group_key))
  const group = { client_id, ...key, request_digest: orderInputDigest(input) }
  const values = {
    ...group,
    ...orderInputValues(input),
    contact_id,
    remark,
    actor,
    request_id,
  }
  return settle(
    db,
    { statement: placeOrderSql, contended: `cart group ${key.cart_group_id}` },
    async () => {
      const placed = await db.row(placeOrderSql, values)
      if (placed === undefined) return placedBefore(db, group)
      placedOrders.inc()
      return placed
    },
    () => explain(db, { client_id, contact_id, cart_group_key, key, reference: input.reference }),
  )
}

/** The order of the first request, if this is a repetition. */
async function placedBefore(
  db: Database,
  group: Values<(typeof findPlacedOrderSql)['parameters']>,
): Promise<{ created_order_id: number } | undefined> {
  const order = await db.row(findPlacedOrderSql, group)
  if (order === undefined) return undefined
  if (!order.same) throw new Refusal('cart_group_already_ordered', { order_id: order.order_id })
  return { created_order_id: order.order_id }
}

interface RefusedRequest {
  readonly client_id: number
  readonly contact_id: number | null
  readonly cart_group_key: string
  readonly key: CartGroupKey
  readonly reference: string | undefined
}

/** Throws the reason why the group cannot be ordered as shown; returns if there is none. */
async function explain(db: Database, request: RefusedRequest): Promise<void> {
  const { client_id, contact_id, cart_group_key, key, reference } = request
  const { cart_group_id } = key
  const lines = await db.rows(explainOrderSql, {
    client_id,
    cart_group_id,
    contact_id,
    reference: reference ?? null,
    total_max: totalMax,
  })
  const [group] = lines
  if (group === undefined) throw groupNotFound(cart_group_key)
  const { stock_id, contract_id, client_block_reason, contract_block_reason } = group
  if (client_block_reason !== null) throw new Refusal('client_blocked', { block_reason: client_block_reason })
  if (contract_block_reason !== null)
    throw new Refusal('contract_blocked', { contract_id, block_reason: contract_block_reason })
  if (!group.contact_known && contact_id !== null) throw new Refusal('contact_not_found', { client_id, contact_id })
  if (!group.stock_serving) throw new Refusal('stock_not_serving', { stock_id })

  const changed = whatChanged(key, group)
  if (changed.length > 0) {
    const cart_items = lines.map(({ item_id, quantity, price }) => ({ item_id, quantity, price }))
    const details = { cart_group_key: formatCartGroupKey(group), changed, cart_items }
    throw new Refusal('cart_group_changed', details, { field: 'cart_group_key' })
  }
  if (reference !== undefined && group.referring_order !== null)
    throw new Refusal('reference_used', { reference, order_id: group.referring_order }, { field: 'reference' })

  const unsold = lines.flatMap(({ item_id, on_sale, priced }) => {
    if (!on_sale) return [refusalError('item_not_on_sale', { item_id })]
    return priced ? [] : [refusalError('item_not_priced', { item_id, contract_id })]
  })
  if (unsold.length > 0) throw new Refusal(unsold)

  const lacking = lines.flatMap(({ item_id, quantity: requested, available }) =>
    available !== null && requested > available
      ? [refusalError('out_of_stock', { item_id, stock_id, available, requested })]
      : [],
  )
  if (lacking.length > 0) throw new Refusal(lacking)

  if (group.too_large) throw new Refusal('order_total_too_large', { total_max: totalMax })
  if (group.over_limit) {
    throw new Refusal('contract_limit_exceeded', {
      contract_id,
      limit: group.contract_limit,
      used: group.exposure,
      requested: group.total,
    })
  }
}

/** The digest of prices covers the item ids too: if the lines differ, it says nothing about the prices. */
function whatChanged(shown: CartGroupKey, current: CartGroupKey): GroupChange[] {
  const sameLines = shown.lines_digest === current.lines_digest
  const samePrices = !sameLines || shown.prices_digest === current.prices_digest
  return [
    ...(sameLines ? [] : (['lines'] as const)),
    ...(samePrices ? [] : (['prices'] as const)),
    ...(shown.terms_digest === current.terms_digest ? [] : (['terms'] as const)),
    ...(shown.virtual === current.virtual ? [] : (['virtual'] as const)),
  ]
}

type GroupChange = 'lines' | 'prices' | 'terms' | 'virtual'

function groupNotFound(cart_group_key: string): Refusal {
  return new Refusal('cart_group_not_found', { cart_group_key }, { field: 'cart_group_key' })
}
