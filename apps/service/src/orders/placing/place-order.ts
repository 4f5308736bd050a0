import { parseCartGroupKey } from '../../carts/lines/cart-group-key.ts'
import { call, functionCall } from '../../functions/call.ts'
import type { Metadata } from '../../input/metadata.ts'
import { printable } from '../../vocabulary/printable.ts'
import {
  inputProblems,
  orderInputDigest,
  orderInputParameters,
  orderInputValues,
  type PlacedInput,
} from '../order-input.ts'
import { Counter } from 'prom-client'
import type { Database } from 'pg-statements/database.ts'
import { bool, bytes, int8, jsonOf, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export const placedOrders = new Counter({
  name: 'parts_orders_placed_total',
  help: 'Orders placed; a repeated request that finds its order is not counted again.',
})

const placeOrderSql = functionCall(new URL('place_order.sql', import.meta.url), {
  parameters: {
    client: int8,
    cart_group: int8,
    shown_lines: text,
    shown_prices: text,
    shown_terms: text,
    shown_virtual: bool,
    request_digest: bytes,
    contact: nullable(int8),
    remark: text,
    actor: text,
    request_id: text,
    metadata: nullable(jsonOf<Metadata>()),
    ...orderInputParameters,
  },
  columns: { created_order_id: int8, repeated: bool },
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
  {
    cart_group_key,
    metadata = {},
    ...input
  }: PlacedInput & { cart_group_key: string; metadata?: Metadata | undefined },
): Promise<{ created_order_id: number }> {
  const problems = inputProblems(input)
  if (problems.length > 0) throw new Refusal(problems)
  const key = parseCartGroupKey(cart_group_key)
  const unknown = (shown: string) => ({ field: 'cart_group_key', cart_group_key: shown })
  if (key === undefined) throw new Refusal('cart_group_not_found', unknown(printable(cart_group_key)))
  const { created_order_id, repeated } = await call(
    db,
    placeOrderSql,
    {
      client: ordering.client_id,
      cart_group: key.cart_group_id,
      shown_lines: key.lines_digest,
      shown_prices: key.prices_digest,
      shown_terms: key.terms_digest,
      shown_virtual: key.virtual,
      request_digest: orderInputDigest(input),
      contact: ordering.contact_id,
      remark: ordering.remark,
      actor: ordering.actor,
      request_id: ordering.request_id,
      metadata: Object.keys(metadata).length === 0 ? null : metadata,
      ...orderInputValues(input),
    },
    { cart_group_not_found: () => unknown(cart_group_key) },
  )
  if (!repeated) placedOrders.inc()
  return { created_order_id }
}
