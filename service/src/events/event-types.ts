/** The catalogue of events: every type, when it happens and what it carries. The reference and `docs/reference/event-types.md` are made from it. */
import { exampleContract } from '../clients/list-contracts.ts'
import { exampleAdjustment } from '../orders/adjustment.ts'
import { exampleOrder } from '../orders/order.ts'

export interface EventType {
  /** When it happens. */
  readonly meaning: string
  /** What its `data` is. */
  readonly carries: string
  /** Data as it may occur. Of what is not an order or an adjustment, clients read exactly the fields that stand here. */
  readonly example: Readonly<Record<string, unknown>>
}

const anOrder = 'The Order, as reading it showed it then.'
const anAdjustment = 'The Adjustment, as reading it showed it then.'
const [created] = exampleOrder.order_history
const later = '2026-11-15 10:00:00'

const orderIn = (order_state_id: string, value: string): typeof exampleOrder => ({
  ...exampleOrder,
  order_update_datetime: later,
  order_state_id,
  order_history: [{ ...created!, date: later, value, state_id: order_state_id }, created!],
})

const orderAfter = (group: string, text: string): typeof exampleOrder => ({
  ...exampleOrder,
  order_update_datetime: later,
  order_history: [{ ...created!, date: later, group, text }, created!],
})

const [item] = exampleAdjustment.adjustment_items

export const clientEventTypes: Readonly<Record<string, EventType>> = {
  'order.created': { meaning: 'An order was placed.', carries: anOrder, example: exampleOrder },
  'order.state_changed': {
    meaning:
      'An order came to another state: the distributor moved it, its cancellation was requested, or the request was decided.',
    carries: anOrder,
    example: orderIn('processing', 'Processing'),
  },
  'order.rescheduled': {
    meaning: 'The shipping date of an order was changed.',
    carries: anOrder,
    example: {
      ...orderAfter('Change of shipping date', '2026-11-20'),
      order_shipping_datetime: '2026-11-20 00:00:00',
    },
  },
  'order.items_changed': {
    meaning: 'An adjustment was accepted: the quantity of a line and the totals of the order are others now.',
    carries: anOrder,
    example: { ...orderAfter('Change of items', 'BX-11024: 2 → 1'), order_total: 110.52, order_tax: 17.65 },
  },
  'order.changed': {
    meaning: 'A virtual order got its goods, and is not virtual any more.',
    carries: anOrder,
    example: orderAfter('Change of reservation', ''),
  },
  'order.archived': {
    meaning: 'An order has been completed or cancelled for long, and was archived.',
    carries: anOrder,
    example: {
      ...orderIn('completed', 'Completed'),
      order_archive_datetime: '2027-02-13 10:10:00',
    },
  },
  'adjustment.created': {
    meaning: 'A line of an order is wished to have another quantity.',
    carries: anAdjustment,
    example: exampleAdjustment,
  },
  'adjustment.decided': {
    meaning:
      'The wish was accepted or refused by the distributor, or another one took its place, or the order has moved on.',
    carries: anAdjustment,
    example: {
      ...exampleAdjustment,
      adjustment_status: 'ACCEPTED',
      adjustment_items: [{ ...item!, difference: -1 }],
    },
  },
  'contract.limit_low': {
    meaning: "An order or an accepted adjustment took the contract's open orders to 90% or more of its limit.",
    carries: 'The Contract, and what its open orders add up to.',
    example: { ...exampleContract, contract_used: 23_104.5 },
  },
  'contract.created': {
    meaning: 'The distributor made a contract for the client.',
    carries: 'The Contract.',
    example: exampleContract,
  },
  'contract.changed': {
    meaning: 'The distributor changed a contract.',
    carries: 'Its id, and those fields of the Contract that were changed.',
    example: exampleContract,
  },
  'cart.marked': {
    meaning: 'The distributor made a cart virtual, or real again.',
    carries: 'Which cart, and what it is now.',
    example: { cart_id: 120, virtual: true },
  },
  'client.created': { meaning: 'The client was made.', carries: 'Its name.', example: { client_name: 'Garage Weber' } },
  'client.changed': {
    meaning: 'The distributor changed the name of the client, or the stocks that serve it.',
    carries: 'What was changed.',
    example: { client_name: 'Garage Weber GmbH', stock_ids: [1, 2] },
  },
  'contact.created': {
    meaning: 'The client has another contact.',
    carries: 'Who that is.',
    example: { contact_id: 31, contact_name: 'Anna Weber' },
  },
  'contact.changed': {
    meaning: 'The name or the address of a contact was changed.',
    carries: 'Who that is now.',
    example: { contact_id: 31, contact_name: 'Anna Weber-Lang' },
  },
  'key.issued': {
    meaning: 'A key of the client was issued.',
    carries: 'Its id, not the key; whose it is; what it may do.',
    example: { key_id: 9, contact_id: 31, scopes: ['orders:read', 'events:read'] },
  },
  'key.changed': {
    meaning: 'What a key may ask in a second was changed.',
    carries: 'Its id, and what was changed.',
    example: { key_id: 9, rate_per_second: 100, rate_burst: 200 },
  },
  'key.revoked': {
    meaning: 'A key was revoked.',
    carries: 'Its id, and whose it was.',
    example: { key_id: 9, contact_id: 31 },
  },
  'key.expired': {
    meaning: 'The time of a key is over.',
    carries: 'Its id, and whose it was.',
    example: { key_id: 9, contact_id: 31 },
  },
  'webhook.created': {
    meaning: 'The client made a webhook endpoint.',
    carries: 'Which one, the origin of its address, and what is sent to it.',
    example: { webhook_id: 41, origin: 'https://dealer.example', event_types: ['order.state_changed'] },
  },
  'webhook.changed': {
    meaning:
      'A webhook endpoint was changed: its address, its types, its secret; or it was resumed, or begins anew from a number.',
    carries:
      'Which one, and those of the fields that were changed: of the address only the origin, of the secret only that it was rotated.',
    example: {
      webhook_id: 41,
      origin: 'https://dealer.example',
      event_types: ['order.state_changed'],
      active: true,
      from_event_number: 120,
      secret: 'rotated',
    },
  },
  'webhook.paused': {
    meaning: 'A webhook endpoint is paused: by the distributor, or because it answered 410 or failed for three days.',
    carries: 'Which one, why, and what the distributor said or the last attempt came to.',
    example: { webhook_id: 41, paused_reason: 'failing', paused_text: '503' },
  },
  'webhook.deleted': {
    meaning: 'The client deleted a webhook endpoint.',
    carries: 'Which one it was, and the origin of its address.',
    example: { webhook_id: 41, origin: 'https://dealer.example' },
  },
}
