/** Why a line of an order cannot be changed or added. */
import { totalMax } from '../clients/amounts.ts'
import { orderStateOf, type OrderState } from './order-states.ts'
import type { Values } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

/** What a change of a line needs, for the statements that explain it. */
export const neededColumns = {
  order_id: int8,
  state_before: text,
  quantity_before: int4,
  quantity_after: int4,
  stock_id: int8,
  /** Null if any quantity can be reserved. */
  available_after: nullable(int8),
  contract_id: int8,
  contract_limit: numeric,
  exposure: numeric,
  limit_left_after: nullable(numeric),
  too_large: bool,
}
type Needed = Values<typeof neededColumns>

/** Throws unless the state of the order allows the change. */
export function refuseState({ order_id, state_before: order_state_id }: Needed, possible: readonly OrderState[]): void {
  if (!possible.includes(orderStateOf(order_state_id)))
    throw new Refusal('order_lines_fixed', { order_id, order_state_id, possible })
}

/** Throws if stock, limit or the largest amount do not allow the change. Reducing needs nothing. */
export function refuseNeeds(found: Needed & { total_difference: number }, item_id: number): void {
  const { stock_id, contract_id, contract_limit: limit, exposure: used, total_difference: requested } = found
  const difference = found.quantity_after - found.quantity_before
  const { available_after, limit_left_after } = found
  if (available_after !== null && difference > 0 && available_after < 0)
    throw new Refusal('out_of_stock', {
      item_id,
      stock_id,
      available: Math.max(available_after + difference, 0),
      requested: difference,
    })
  if (limit_left_after !== null && requested > 0 && limit_left_after < 0)
    throw new Refusal('contract_limit_exceeded', { contract_id, limit, used, requested })
  if (found.too_large) throw new Refusal('order_total_too_large', { total_max: totalMax })
}
