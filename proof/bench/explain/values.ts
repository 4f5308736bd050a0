/** The values of parameters, by their names, for all cases that do not give other ones. */
import assert from 'node:assert/strict'
import type { Statement } from 'pg-statements/statement.ts'
import { cartsPerClientMax, emptyDaysMax } from '../../../apps/service/src/carts/cart.ts'
import { matchesMax } from '../../../apps/service/src/catalogue/list-items.ts'
import { totalMax } from '../../../apps/service/src/clients/amounts.ts'
import { undoHoursMax } from '../../../apps/service/src/orders/moving/undo-cancellation.ts'
import { historyMax } from '../../../apps/service/src/orders/order-actions.ts'
import { bytesPerPageMax } from '../../../apps/service/src/orders/order-goods.ts'
import { notesMax } from '../../../apps/service/src/orders/operator-order.ts'
import * as states from '../../../apps/service/src/vocabulary/order-states.ts'
import { orderInput } from '../order-address.ts'
import type { CaseValue, CaseValues, ExplainCase } from './explain-case.ts'
import type { Sample } from './sample.ts'

export const actor = 'operator 1 key 1'
export const digest = `\\x${'ab'.repeat(32)}`

/** An import that cases create. */
export const import_id = 9_000_000

/** The key of a request that may be repeated. Without it, less is written. */
const retry: CaseValues = { idempotency_key: 'explain', request_digest: '\\xab', retry_digest: '\\xab' }
export const withoutRetry: CaseValues = { idempotency_key: null, request_digest: null }

export function usualValues(sample: Sample): CaseValues {
  const { client_id, contact_id, contract_id, stock_id, item_id, order_id, order_item_id, adjustment_id } = sample
  const { shipping_date, smallCart } = sample
  // prettier-ignore
  return {
    // What exists. An argument of a function has no `_id` where a column of the function has the name.
    client_id, contact_id, contract_id, stock_id, item_id, order_id, order_item_id, adjustment_id, shipping_date,
    client: client_id, contact: contact_id, contract: contract_id, stock: stock_id, item: item_id,
    cart_id: smallCart.cart_id, cart_item_id: smallCart.cart_item_id, webhook_id: client_id * 2,
    price_list_id: 1, currency_code: 'EUR', key_id: client_id, import_id, batch: 0,
    // Pages begin at the beginning.
    page_size: 21, after_id: 0, after_client: 0, after_cart: 0, after_group: 0, after_item: 0, after_stock: 0,
    after_batch: 0, after_place: 0, after_line: 0, before_id: Number.MAX_SAFE_INTEGER,
    // What people and programs write.
    actor, request_id: 'req-explain', reason: 'Explain', message: 'Explain', instruction: 'Explain', remark: '', changes: '{}', secret: 'x',
    client_name: 'Explain', contact_name: 'Explain', contract_name: 'Explain', cart_name: 'Explain', digest,
    operator_name: 'Explain', role: 'viewer', owner: 'operator 1', operator_id: 1, operator: 1, issuer: 'https://id.example', subject: 'explain', administers: false, view_id: 1, view_name: 'Other',
    contract_service: false, contract_limit: 0, discount_percent: 0, tax_mode: 'included', tax_percent: 0,
    quantity: 3, carrier: 'DHL', tracking: '0034', dry_run: false, all_rows: false, confirmed: false, of_brand: false, net: true, breaks: true, promise: true, substitutes: true, named: '{"replaced_by": 2, "substitutes": [3, 4]}', newer_max: 100,
    lease: 'explain', lease_ms: 1_000, event_number: 1, event_type: 'order.created', attempt: 1, duration_ms: 90,
    ...orderInput,
    // States, and limits.
    adjustable: states.adjustable, raisable: states.adjustable, reducible: states.reducible,
    cancellable: states.cancellable, holdable: states.holdable, holding: states.holdable,
    reschedulable: states.reschedulable, reservable: states.reservable, open_states: states.reservable,
    carts_max: cartsPerClientMax, empty_days_max: emptyDaysMax, quantity_max: 1_000_000, lines_max: 1_000,
    matches_max: matchesMax, scan_max: 2_000, bytes_max: bytesPerPageMax, total_max: totalMax, most: 1_000,
    history_max: historyMax, notes_max: notesMax, days_ahead_max: 90, undo_hours: undoHoursMax, undo_days: 7,
  }
}

/** A parameter that may be null is null, unless the case gives a value. */
export function valuesOf({ name, order, parameters }: Statement, one: ExplainCase, usual: CaseValues): CaseValue[] {
  const unknown = Object.keys(one.values ?? {}).filter((parameter) => parameters[parameter] === undefined)
  assert.deepEqual(unknown, [], `A case of ${name} gives values for parameters that it has not:`)
  const given = { ...retry, ...one.values }
  return order.map((parameter) => {
    const otherwise = parameters[parameter]?.nullable === true ? null : usual[parameter]
    const value = parameter in given ? given[parameter] : otherwise
    assert(value !== undefined, `A case of ${name} must give a value for :${parameter}.`)
    return value
  })
}
