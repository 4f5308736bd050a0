/**
 * The catalogue of events: each type, when it happens and what its `data` is. The API reference and
 * `docs/reference/event-types.md` are generated from it. It also decides how stored data is read: event-data.ts and
 * event-joins.part.sql.
 */
import type { TSchema } from 'typebox'
import { ownEventData } from './own-event-data.ts'
import { Contract, exampleContract } from '../clients/contracts/list-contracts.ts'
import {
  Adjustment,
  exampleAdjustedItem,
  exampleAdjustment,
  exampleAdjustmentRequest,
  OperatorAdjustment,
} from '../orders/adjustment.ts'
import { exampleHistoryEntry, exampleOrder, Order } from '../orders/order.ts'
import { exampleDocument } from '../orders/order-document.ts'
import { exampleReturn, exampleShipment } from '../orders/order-goods.ts'
import { exampleReturnRequest, OperatorReturnRequest, ReturnRequest } from '../orders/return-request.ts'
import { exampleMetadata } from '../input/metadata.ts'
import { refer, type WordList } from '../vocabulary/schema-parts.ts'

export interface EventType {
  /** When it happens. */
  readonly meaning: string
  /** What its `data` is, in words. */
  readonly carries: string
  /** The schema of its `data`. */
  readonly data: TSchema
  /** The same as operators see it, if that differs. */
  readonly operatorData?: TSchema
  /** An example of its `data`. If the type has its own fields, clients see exactly those named here. */
  readonly example: Readonly<Record<string, unknown>>
}

/**
 * What the `data` of a type is a snapshot of; null if it consists of the type's own fields, shown as stored.
 * Orders and clients' requests go by the prefix, so that a process can read types that a newer release adds: rolling deploys.
 */
export function snapshotOf(event_type: string): 'order' | 'adjustment' | 'return_request' | 'contract' | null {
  if (event_type.startsWith('order.')) return 'order'
  if (event_type.startsWith('adjustment.')) return 'adjustment'
  if (event_type.startsWith('return_request.')) return 'return_request'
  return event_type === 'contract.limit_low' ? 'contract' : null
}

const later = '2026-11-15 10:00:00'

const orderIn = (order_state_id: string, value: string): Order => ({
  ...exampleOrder,
  order_update_datetime: later,
  order_state_id,
  order_history: [{ ...exampleHistoryEntry, date: later, value, state_id: order_state_id }, exampleHistoryEntry],
})

const orderAfter = (group: string, text: string): Order => ({
  ...exampleOrder,
  order_update_datetime: later,
  order_history: [{ ...exampleHistoryEntry, date: later, group, text }, exampleHistoryEntry],
})

const orderEvent = (meaning: string, example: Order): EventType => ({
  meaning,
  carries: 'The Order, as it was at that moment.',
  data: refer(Order),
  example,
})

const adjustmentEvent = (meaning: string, example: Adjustment): EventType => ({
  meaning,
  carries: 'The Adjustment with its `request`, as it was at that moment.',
  data: refer(Adjustment),
  operatorData: refer(OperatorAdjustment),
  example,
})

const returnRequestEvent = (meaning: string, changed: Partial<ReturnRequest> = {}): EventType => ({
  meaning,
  carries: 'The ReturnRequest, as it was at that moment.',
  data: refer(ReturnRequest),
  operatorData: refer(OperatorReturnRequest),
  example: { ...exampleReturnRequest, ...changed },
})

const ownFields = (
  meaning: string,
  carries: string,
  data: TSchema,
  example: Readonly<Record<string, unknown>>,
): EventType => ({ meaning, carries, data, example })

export const clientEventTypes: Readonly<Record<string, EventType>> = {
  'order.created': {
    meaning: 'An order was placed.',
    carries: 'The Order, as it was at that moment, and the `metadata` that was sent with it, if any.',
    data: refer(Order),
    example: { ...exampleOrder, metadata: exampleMetadata },
  },
  'order.state_changed': orderEvent(
    'The state of an order changed: the distributor moved it, its cancellation was requested, accepted, rejected or undone, its last line was removed, or a line was reduced so that nothing is left to ship.',
    orderIn('processing', 'Processing'),
  ),
  'order.shipped': {
    meaning:
      'A shipment of an order left the stock. With the last piece the state changes too: `order.state_changed` follows.',
    carries: 'The Order, as it was at that moment, and the shipment.',
    data: ownEventData.orderShipped,
    example: {
      ...exampleOrder,
      order_update_datetime: later,
      order_state_id: 'fulfilling',
      order_shipping_datetime: later,
      order_history: [
        {
          date: later,
          group: 'Shipment',
          value: 'Being assembled',
          state_id: 'fulfilling',
          text: `${exampleShipment.carrier} ${exampleShipment.tracking}`,
        },
        exampleHistoryEntry,
      ],
      shipment: exampleShipment,
    },
  },
  'order.rescheduled': orderEvent('The shipping date of an order was changed.', {
    ...orderAfter('Change of shipping date', '2026-11-20'),
    order_shipping_datetime: '2026-11-20 00:00:00',
  }),
  'order.items_changed': orderEvent(
    'The quantity of a line changed, or a line was removed or added, and with it the totals of the order: an adjustment was accepted, the distributor changed the order, or what was not shipped was closed.',
    { ...orderAfter('Change of items', 'JF-11024: 4 → 3'), order_total: 312.51, order_tax: 49.9 },
  ),
  'order.changed': orderEvent(
    'A virtual order reserved its goods and is no longer virtual.',
    orderAfter('Change of reservation', ''),
  ),
  'order.noted': orderEvent(
    "The distributor added a note to the order's history.",
    orderAfter('Note', 'One disc comes from another batch.'),
  ),
  'order.held': orderEvent(
    'The distributor put an order on hold, or changed the reason; the history has it.',
    orderAfter('Hold', 'Payment is overdue.'),
  ),
  'order.released': orderEvent('The distributor released an order that was on hold.', orderAfter('Release', '')),
  'order.returned': {
    meaning: 'The distributor recorded that shipped goods came back. Quantities and totals of the order stay.',
    carries: 'The Order, as it was at that moment, and the return with its lines and quantities.',
    data: ownEventData.orderReturned,
    example: { ...orderAfter('Return', exampleReturn.reason), return: exampleReturn },
  },
  'order.document_added': {
    meaning: 'The distributor put a document on an order, such as an invoice, or replaced it.',
    carries: 'The Order, as it was at that moment, the document, and the one of its kind and number that it replaced.',
    data: ownEventData.documentAdded,
    example: { ...exampleOrder, document: exampleDocument },
  },
  'order.document_removed': {
    meaning: 'The distributor removed a document from an order.',
    carries: 'The Order, as it was at that moment, and the document.',
    data: ownEventData.documentRemoved,
    example: { ...exampleOrder, document: exampleDocument },
  },
  'order.metadata_changed': {
    meaning: 'The distributor changed the metadata that it keeps with an order. Clients do not see it.',
    carries: 'The Order, as it was at that moment; for operators the metadata too, and what it was before.',
    data: refer(Order),
    operatorData: ownEventData.metadataChanged,
    example: exampleOrder,
  },
  'order.archived': orderEvent('An order was archived, some time after it was completed or cancelled.', {
    ...orderIn('completed', 'Completed'),
    order_archive_datetime: '2027-02-13 10:10:00',
  }),
  'adjustment.created': adjustmentEvent('A change of the quantity of an order line was requested.', {
    ...exampleAdjustment,
    request: exampleAdjustmentRequest,
  }),
  'adjustment.decided': adjustmentEvent(
    'An adjustment was accepted or rejected by the distributor, withdrawn or replaced by the client, or dropped because the order moved on or the distributor changed the line.',
    {
      ...exampleAdjustment,
      adjustment_status: 'ACCEPTED',
      adjustment_items: [{ ...exampleAdjustedItem, difference: -1 }],
      request: { ...exampleAdjustmentRequest, decided_by: 'distributor', decided_at: later },
    },
  ),
  'return_request.created': returnRequestEvent('The client requested to return shipped goods.'),
  'return_request.decided': returnRequestEvent(
    'A request to return goods was accepted or rejected by the distributor, or withdrawn by the client.',
    {
      request_status: 'ACCEPTED',
      instruction: 'Send them to our Berlin stock.',
      decided_by: 'distributor',
      decided_at: later,
    },
  ),
  'return_request.arrived': returnRequestEvent(
    'The goods of a request have come back; `order.returned` before it has the return.',
    {
      request_status: 'RETURNED',
      instruction: 'Send them to our Berlin stock.',
      decided_by: 'distributor',
      decided_at: later,
      return_id: exampleReturn.return_id,
    },
  ),
  'contract.limit_low': {
    meaning:
      'An order, an accepted adjustment or a change of a line raised the open orders of a contract to 90% or more of its limit.',
    carries: 'The Contract, and the sum of its open orders.',
    data: ownEventData.contractUsed,
    example: { ...exampleContract, contract_used: 23_104.5 },
  },
  'contract.created': ownFields(
    'The distributor created a contract for the client.',
    'The Contract.',
    refer(Contract),
    exampleContract,
  ),
  'contract.changed': ownFields(
    'The distributor changed a contract.',
    'The id of the contract, the fields of the Contract that changed, and its discount and tax if these changed. If there is only the id, the contract has another price list.',
    ownEventData.contractChanged,
    { ...exampleContract, discount_percent: 7.5, tax_mode: 'included', tax_percent: 19 },
  ),
  'contract.blocked': ownFields(
    'The distributor blocked a contract, or changed the reason: no new orders are placed under it.',
    'The contract, and the reason.',
    ownEventData.contractBlocked,
    { contract_id: 1, block_reason: 'Payment is overdue.' },
  ),
  'contract.unblocked': ownFields(
    'The distributor ended the block of a contract.',
    'The contract.',
    ownEventData.contractUnblocked,
    { contract_id: 1 },
  ),
  'cart.marked': ownFields(
    'The distributor made a cart virtual, or no longer virtual.',
    'The cart, and its new mark.',
    ownEventData.cartMarked,
    {
      cart_id: 120,
      virtual: true,
    },
  ),
  'client.created': ownFields('The client was created.', 'The name of the client.', ownEventData.clientCreated, {
    client_name: 'Garage Weber',
  }),
  'client.changed': ownFields(
    'The distributor changed the name or a setting of the client, or the stocks that serve it.',
    'The fields that changed; none if the distributor changed its metadata of the client, which operators see.',
    ownEventData.clientChanged,
    { client_name: 'Garage Weber GmbH', unique_references: true, stock_ids: [1, 2] },
  ),
  'client.blocked': ownFields(
    'The distributor blocked the client, or changed the reason: it places no new orders.',
    'The reason.',
    ownEventData.clientBlocked,
    { block_reason: 'Payment is overdue.' },
  ),
  'client.unblocked': ownFields(
    'The distributor ended the block of the client.',
    'No fields.',
    ownEventData.clientUnblocked,
    {},
  ),
  'contact.created': ownFields('A contact was added to the client.', 'The contact.', ownEventData.contact, {
    contact_id: 1,
    contact_name: 'Anna Weber',
  }),
  'contact.changed': ownFields(
    'The name or the email address of a contact was changed.',
    'The contact, as changed.',
    ownEventData.contact,
    {
      contact_id: 1,
      contact_name: 'Anna Weber-Lang',
    },
  ),
  'key.issued': ownFields(
    'An API key was issued for the client.',
    'The id of the key (not the key), its contact and its scopes.',
    ownEventData.keyIssued,
    { key_id: 9, contact_id: 1, scopes: ['orders:read', 'events:read'] },
  ),
  'key.changed': ownFields(
    'The rate limit of an API key was changed.',
    'The id of the key, and the limits that changed.',
    ownEventData.keyChanged,
    {
      key_id: 9,
      rate_per_second: 100,
      rate_burst: 200,
    },
  ),
  'key.revoked': ownFields('An API key was revoked.', 'The id of the key, and its contact.', ownEventData.keyEnded, {
    key_id: 9,
    contact_id: 1,
  }),
  'key.expired': ownFields('An API key expired.', 'The id of the key, and its contact.', ownEventData.keyEnded, {
    key_id: 9,
    contact_id: 1,
  }),
  'webhook.created': ownFields(
    'The client created a webhook endpoint.',
    'The endpoint, the origin of its URL, and the event types it receives.',
    ownEventData.webhookCreated,
    { webhook_id: 41, origin: 'https://dealer.example', event_types: ['order.state_changed'] },
  ),
  'webhook.changed': ownFields(
    'A webhook endpoint was changed: its URL, its event types or its secret; or it was resumed, or set back to an event number.',
    'The endpoint, and the fields that changed. Of the URL only the origin is shown; a new secret is shown as `rotated`.',
    ownEventData.webhookChanged,
    {
      webhook_id: 41,
      origin: 'https://dealer.example',
      event_types: ['order.state_changed'],
      active: true,
      from_event_number: 120,
      secret: 'rotated',
    },
  ),
  'webhook.paused': ownFields(
    'A webhook endpoint was paused: by the distributor, or because it answered 410 or failed for three days.',
    "The endpoint, the reason, and the distributor's remark or the result of the last attempt.",
    ownEventData.webhookPaused,
    { webhook_id: 41, paused_reason: 'failing', paused_text: '503' },
  ),
  'webhook.deleted': ownFields(
    'The client deleted a webhook endpoint.',
    'The endpoint, and the origin of its URL.',
    ownEventData.webhookDeleted,
    {
      webhook_id: 41,
      origin: 'https://dealer.example',
    },
  ),
  'service.restored': ownFields(
    'The distributor restored its database from a backup: changes made shortly before may be lost. Sent to every endpoint, whatever types it receives. List the orders to get their current state.',
    'By how much the numbers of earlier events were raised. Events after the restored moment no longer exist.',
    ownEventData.serviceRestored,
    { events_moved_by: 1_000_041 },
  ),
}

export const eventTypeWords: WordList = {
  name: 'EventType',
  meaning: 'What happened.',
  words: Object.keys(clientEventTypes),
}
