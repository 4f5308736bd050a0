/** Operators find orders, decide what clients asked for, move orders, ship them and correct them. */
import { eventsScannedMax, logPage, type LogFilter } from '../../../apps/service/src/events/feed/list-log.ts'
import { adjustmentStatuses } from '../../../apps/service/src/orders/adjustment.ts'
import { returnRequestStatuses } from '../../../apps/service/src/orders/return-request.ts'
import { countsParameters } from '../../../apps/service/src/orders/decisions/read-counts.ts'
import {
  operatorOrdersPage,
  type OrderFilter,
  ordersScannedMax,
  searchedOrdersPage,
  sortedOrdersPage,
} from '../../../apps/service/src/orders/finding/read-operator-orders.ts'
import { cancellable } from '../../../apps/service/src/vocabulary/order-states.ts'
import type { ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'
import { actor } from './values.ts'

export const operatorOrderCases = (sample: Sample): ExplainCases => ({
  ...findingCases(sample),
  ...decisionCases(sample),
  ...movingCases(sample),
  ...correctionCases(sample),
})

/** Every order has the pair, from its client and from the distributor. */
export const pairOfEveryOrder = `
  insert into order_metadata (client_id, order_id, by_client, key, value, order_create_datetime)
  select client_id, order_id, by_client, 'job', 'Explain', order_create_datetime
  from orders, (values (true), (false)) w (by_client);
  analyze order_metadata`

const moved = 'orders order_history clients events'
const goods = 'contracts stock_levels'
const changed = `${moved} ${goods} order_items order_item_changes`

function findingCases(sample: Sample): ExplainCases {
  const { client_id, contract_id, stock_id, article: sku_code, order_id, middle_order_id, day_after_middle } = sample
  const list = (filter: OrderFilter, after_id: number | null = null): ExplainCase => ({
    values: operatorOrdersPage(filter, after_id, 21),
    atLeast: 5, // As many orders as an article has in the smaller database.
  })
  const search = (text: string, atLeast: number, filter: OrderFilter = {}): ExplainCase => ({
    values: searchedOrdersPage(text, filter, null, 21),
    atLeast,
    bound: 31 * 500 + 2 * 500, // Thirty-one walks and the references, each up to its limit.
  })
  const sorted = (
    sort: 'ship_date' | 'total' | 'changed',
    filter: OrderFilter,
    atLeast: number,
    after: { key: number; id: number } | null = null,
  ): ExplainCase => ({
    values: sortedOrdersPage(sort, filter, after, 21),
    atLeast,
    bound: 20_000, // 2,000 orders with their lines and levels.
  })
  const log = (filter: LogFilter, atLeast: number): ExplainCase => ({
    values: logPage(filter, null, 21),
    atLeast,
    bound: 3 * eventsScannedMax + 300, // Each event that is examined is looked up in both tables of events.
  })
  const middle = { generation: 0, after_transaction: '0', after_client: client_id, after_number: 1 }
  const state = ['completed'] as const
  const three = ['new', 'processing', 'completed'] as const
  const metadata = { key: 'job', value: 'Explain' }
  const paired = (one: ExplainCase): ExplainCase => ({ prepare: pairOfEveryOrder, ...one })
  const heldOrders = `update orders set hold_reason = 'Explain.' where order_id % 20 = 0`
  const scheduledOrders = `
    update orders set order_shipping_date = order_create_datetime::date + 3 where order_id % 4 = 0`
  const operatorEvents = `
    update events set actor = '${actor}', event_type = 'order.state_changed'
    where order_id is not null and event_number % 4 = 0`
  return {
    'list-pick-list': { values: { stock_id, page_size: 6 }, atLeast: 5 },
    // A page has as many orders as the smaller database has from the middle on.
    'list-pick-list, from the middle': { values: { after_id: middle_order_id, page_size: 6 }, atLeast: 5 },
    'find-order-ids': { values: { order_numbers: [100_000 + order_id] } },
    'list-operator-orders, all': list({}),
    'list-operator-orders, one state': list({ state }),
    'list-operator-orders, one client': list({ client_id }),
    "list-operator-orders, one client's state": list({ client_id, state }),
    'list-operator-orders, one stock': list({ stock_id }),
    'list-operator-orders, three states': list({ state: three }),
    "list-operator-orders, one client's three states": list({ client_id, state: three }),
    "list-operator-orders, one stock's state": list({ stock_id, state }),
    'list-operator-orders, one contract': list({ contract_id }),
    "list-operator-orders, one contract's state": list({ contract_id, state }),
    'list-operator-orders, one article': list({ sku_code }),
    "list-operator-orders, one client's article": list({ client_id, sku_code }),
    'list-operator-orders, article and state': list({ sku_code, state }),
    'list-operator-orders, client and stock': list({ client_id, stock_id }),
    'list-operator-orders, up to a day': list({ date_to: day_after_middle }),
    "list-operator-orders, one stock's, up to a day": list({ stock_id, date_to: day_after_middle }),
    'list-operator-orders, next page': list({}, middle_order_id),
    "list-operator-orders, one stock's next page": list({ stock_id }, middle_order_id),
    "list-operator-orders, one article's next page": { ...list({ sku_code }, middle_order_id), atLeast: 1 },
    'list-operator-orders, metadata': paired(list({ metadata })),
    'list-operator-orders, metadata, next page': { ...paired(list({ metadata }, middle_order_id)), atLeast: 1 },
    'list-operator-orders, metadata of a client': {
      ...paired(list({ metadata, client_id })),
      atLeast: 1,
      bound: ordersScannedMax + 21 * 20,
    },
    'list-operator-orders, held': { ...list({ held: true }), prepare: heldOrders },
    "list-operator-orders, one client's held": {
      ...list({ held: true, client_id }),
      prepare: heldOrders,
      atLeast: 1,
      bound: ordersScannedMax + 21 * 20, // The orders examined, and those of the page with their lines, notes and history.
    },
    'search-orders, a number': search('100001', 1),
    'search-orders, an article': search(sku_code, 5),
    'search-orders, a barcode': search(sample.orderable[0]?.barcode ?? '', 0),
    'search-orders, the beginning of a reference': search(sample.reference, 1),
    'search-orders, a client': search(`dealer${client_id}.example`, 1),
    'search-orders, a city': search(sample.city, 21),
    'search-orders, the beginning of every city, client and reference': search('', 21),
    'search-orders, a city and a state': search(sample.city, 1, { state }),
    'search-orders, a city and metadata': { ...paired(search(sample.city, 21, { metadata })), bound: 34 * 500 },
    'search-orders, nothing': search('No such thing', 0),
    'sort-orders, by total': sorted('total', {}, 21),
    'sort-orders, by total, short': sorted('total', { short: true }, 0),
    'sort-orders, by total, next page': sorted('total', {}, 1, { key: 1_000_000_000, id: middle_order_id }),
    'sort-orders, by shipping date': { ...sorted('ship_date', {}, 21), prepare: scheduledOrders },
    'sort-orders, by shipping date, of a stock': { ...sorted('ship_date', { stock_id }, 1), prepare: scheduledOrders },
    'sort-orders, by last change': sorted('changed', {}, 21),
    'sort-orders, by last change, of a client': sorted('changed', { client_id }, 1),
    'list-operator-order-items': {},
    'find-operator-order, by id': { values: { order_id } },
    'find-operator-order, by number': { values: { order_number: 100_001 } },
    'list-log, of an order': log({ order_id }, 1),
    'list-log, of a client': log({ client_id }, 21),
    'list-log, of an operator': { ...log({ operator_id: 1 }, 1), prepare: operatorEvents },
    'list-log, of a type': { ...log({ event_type: 'order.state_changed' }, 1), prepare: operatorEvents },
    'list-log, all': log({}, 21),
    'list-log, up to a day': log({ date_to: day_after_middle }, 0), // Loaded transactions are not in the order of time.
    'list-log, of a client and a type': log({ client_id, event_type: 'order.created' }, 1),
    'list-all-events, from the beginning': { values: { page_size: 20, from_now: false }, atLeast: 20 },
    'list-all-events, from now': { values: { page_size: 20, from_now: true } },
    'list-all-events, from the middle': { values: { ...middle, page_size: 20, from_now: false }, atLeast: 20 },
    'read-feed-position': {},
  }
}

function decisionCases({ client_id, order_id, order_item_id, adjustment_id }: Sample): ExplainCases {
  const requested = returnRequested({ client_id, order_id, order_item_id })
  const decided = { values: { return_request_id: 1 }, writes: 'return_requests clients events' }
  const metadataChange = { changes: '{"job": "Changed"}', keys_max: 20 }
  const document = { kind: 'invoice', number: 'R-1', url: 'https://erp.example/', documents_max: 50 }
  const listed = { prepare: requested, atLeast: 1 }
  const lastLineRemoved = `
    update adjustments set quantity_wanted = 0 where adjustment_id = ${adjustment_id};
    update order_items i set order_item_quantity = 0
    from adjustments a
    where a.adjustment_id = ${adjustment_id} and i.client_id = a.client_id and i.order_id = a.order_id
      and i.order_item_id <> a.order_item_id`
  const accept = { values: { quantity_factor: 10 }, writes: `${changed} adjustments` }
  return {
    'accept-adjustment': accept,
    'accept-adjustment, removing the last line': { ...accept, prepare: lastLineRemoved },
    'accept-return-request': { prepare: requested, ...decided },
    'reject-return-request': { prepare: requested, ...decided },
    'list-return-requests, all': { ...listed, values: { statuses: returnRequestStatuses } },
    'list-return-requests, of a client': { ...listed, values: { statuses: returnRequestStatuses, client: client_id } },
    'change-order-metadata': {
      prepare: `insert into order_metadata select client_id, order_id, false, 'job', 'Explain', order_create_datetime
        from orders where order_id = ${order_id}`,
      values: metadataChange,
      writes: 'order_metadata clients events',
    },
    'change-client-metadata': { values: metadataChange, writes: 'clients events' },
    'change-item-metadata': { values: metadataChange, writes: 'items catalogue_changes' },
    'put-document': { values: document, writes: 'order_documents clients events' },
    'remove-document': {
      values: { kind: document.kind, number: document.number },
      prepare: `insert into order_documents (client_id, order_id, kind, number, url)
        values (${client_id}, ${order_id}, 'invoice', 'R-1', 'https://erp.example/')`,
      writes: 'order_documents clients events',
    },
    'reject-adjustment': { writes: 'adjustments clients events' },
    'list-operator-adjustments, all': { values: { statuses: adjustmentStatuses }, atLeast: 21 },
    'list-operator-adjustments, waiting': { values: { statuses: ['WAIT'] }, atLeast: 10 },
    'list-operator-adjustments, of a client': { values: { statuses: adjustmentStatuses, client: client_id } },
    'read-counts': {
      values: countsParameters,
      atLeast: 20,
      // Each figure counts up to 1,001: 7 states, 4 states of at most 10 stocks, 3 kinds of requests, held orders, levels.
      bound: (7 + 4 * 10 + 3 + 1) * 1_001 + 2_001,
    },
    'list-inbox': { values: { after_micros: 0, after_kind: '' }, atLeast: 20 },
  }
}

/** One piece is shipped, and its return is requested. */
export const returnRequested = (of: Pick<Sample, 'client_id' | 'order_id' | 'order_item_id'>): string => `
  update order_items set shipped_quantity = 1 where order_item_id = ${of.order_item_id};
  insert into return_requests (client_id, order_id, return_request_id, reason)
  values (${of.client_id}, ${of.order_id}, 1, 'Explain');
  insert into return_request_lines values (${of.client_id}, ${of.order_id}, 1, ${of.order_item_id}, 1)`

function movingCases({ client_id, order_id, order_item_id }: Sample): ExplainCases {
  const move = (to_state: string) => ({ to_state, from_states: cancellable, deciding: false })
  /** It is being assembled, and every line is on hand. */
  const assembled = `
    update orders set order_state_id = 'fulfilling' where order_id = ${order_id};
    update stock_levels s set on_hand = greatest(s.on_hand, s.reserved)
    from orders o join order_items i using (client_id, order_id)
    where o.order_id = ${order_id} and s.stock_id = o.stock_id and s.item_id = i.item_id`
  const partlyShipped = `
    update orders set order_state_id = 'fulfilling', order_shipped_datetime = now() where order_id = ${order_id};
    update order_items set shipped_quantity = 1 where client_id = ${client_id} and order_id = ${order_id}
      and order_item_quantity > 1`
  /** Few orders are virtual, and in a small database possibly none of them is open. */
  const madeVirtual = `
    update stock_levels s set reserved = s.reserved - i.order_item_quantity
    from orders o join order_items i using (client_id, order_id)
    where o.order_id = ${order_id} and s.stock_id = o.stock_id and s.item_id = i.item_id and not o.virtual;
    update orders set virtual = true where order_id = ${order_id}`
  /** Cancelled a moment ago. Its goods are still counted as reserved, so reserving them again needs back-orders. */
  const cancelled = `
    insert into order_history (client_id, order_id, entry, "group", state_id)
    select client_id, order_id, history_count + 1, 'Change of status', 'canceled' from orders
    where order_id = ${order_id};
    update stock_levels s set back_order = true from orders o, order_items i
    where o.order_id = ${order_id} and i.client_id = o.client_id and i.order_id = o.order_id
      and s.stock_id = o.stock_id and s.item_id = i.item_id;
    update contracts c set contract_limit = 0 from orders o
    where o.order_id = ${order_id} and c.contract_id = o.contract_id;
    update adjustments set adjustment_status = 'CANCELED', adjustment_canceled_message = '', decided_at = now()
    where order_id = ${order_id} and adjustment_status = 'WAIT';
    update orders set order_state_id = 'canceled', history_count = history_count + 1 where order_id = ${order_id}`
  const fulfilling = ['fulfilling']
  const shipped = `${moved} stock_levels order_items shipments shipment_lines operator_idempotency_keys`
  const ship = { from_states: fulfilling, unchanged_state: 'shipped' }
  return {
    'move-order, one step': { values: { ...move('processing'), unchanged_state: 'processing' }, writes: moved },
    'move-order, cancelled': {
      values: { ...move('canceled'), unchanged_state: 'canceled' },
      writes: `${moved} ${goods}`,
    },
    'find-move': { values: { move_id: '5f0c2b9e-7f3a-4a57-9d53-2b1f7f6c0a11' }, atLeast: 0 },
    'ship-order, everything': { values: ship, prepare: assembled, writes: shipped },
    'ship-order, one line': {
      values: { ...ship, order_item_ids: [order_item_id], quantities: [1] },
      prepare: assembled,
      writes: shipped,
    },
    'close-open': {
      values: { from_states: fulfilling },
      prepare: partlyShipped,
      writes: `${moved} ${goods} order_items order_item_changes`,
    },
    'clear-virtual': { prepare: madeVirtual, writes: `${moved} stock_levels` },
    'hold-order': { values: { reason: 'Payment is overdue.' }, writes: moved },
    'mark-cart': { values: { virtual: true }, writes: 'carts clients events' },
    'undo-cancellation': { prepare: cancelled, writes: `${moved} ${goods}` },
    'reschedule-order': { writes: moved },
  }
}

function correctionCases(sample: Sample): ExplainCases {
  const { client_id, contract_id, stock_id, order_id, order_item_id, middle_item_id } = sample
  const reduced = `
    update order_items set order_item_quantity = 777 where order_item_id = ${order_item_id};
    update stock_levels s set reserved = s.reserved + 777, back_order = true from orders o, order_items i
    where o.order_id = ${order_id} and i.order_item_id = ${order_item_id}
      and s.stock_id = o.stock_id and s.item_id = i.item_id;
    update contracts c set exposure = c.exposure + 1000000, contract_limit = 0 from orders o
    where o.order_id = ${order_id} and c.contract_id = o.contract_id`
  /** The item has a price and a level where the order needs them. */
  const offered = `
    insert into prices (price_list_id, item_id, price)
    select price_list_id, ${middle_item_id}, 10 from price_lists on conflict do nothing;
    insert into stock_levels (stock_id, item_id, on_hand, back_order)
    select stock_id, ${middle_item_id}, 10, true from stocks
    on conflict (stock_id, item_id) do update set back_order = true;
    update items set on_sale = true where item_id = ${middle_item_id}`
  const renamed = `${offered}; update items set item_vendor_code = 'EXPLAIN 1' where item_id = ${middle_item_id}`
  const plenty = `update stock_levels set back_order = true where stock_id = ${stock_id};
    update contracts set contract_limit = 0 where contract_id = ${contract_id}`
  const added = `${changed} operator_idempotency_keys`
  /** 500 lines, half of them by id and half by article. */
  const lines = sample.orderable.slice(0, 500)
  const halves = {
    brands: lines.map(() => null),
    quantities: lines.map(() => 1),
    item_ids: lines.map(({ item_id }, n) => (n % 2 === 0 ? item_id : null)),
    articles: lines.map(({ article }, n) => (n % 2 === 0 ? null : article)),
  }
  const named = { ...halves, contract: contract_id, stock: stock_id }
  const unknown = { ...halves, item_ids: lines.map(() => null), articles: lines.map(({ article }) => `${article}x`) }
  return {
    'add-note, internal': {
      values: { note: 'Explain', internal: true },
      writes: 'order_notes operator_idempotency_keys',
    },
    'add-note, for the client': {
      values: { note: 'Explain', internal: false },
      writes: `${moved} operator_idempotency_keys`,
    },
    'change-line, reduced': { values: { quantity: 776 }, prepare: reduced, writes: `${changed} adjustments` },
    'add-line, by id': { values: { item_id: middle_item_id }, prepare: offered, writes: added },
    'add-line, by article': { values: { article: 'Explain-1' }, prepare: renamed, writes: added },
    'return-goods': {
      values: { order_item_ids: [order_item_id], quantities: [1], restock: true },
      prepare: `update order_items set shipped_quantity = 1 where order_item_id = ${order_item_id}`,
      writes: `${moved} stock_levels order_returns order_return_lines operator_idempotency_keys`,
    },
    'order-for-client, 500 lines': {
      values: { ...named, client: client_id },
      prepare: plenty,
      writes: `${goods} orders order_items order_history clients events operator_idempotency_keys`,
    },
    'order-for-client, 500 lines, dry run': { values: { ...named, dry_run: true }, prepare: plenty },
    'quote-lines, 500 lines': { values: { ...halves, near_max: 5 }, prepare: plenty },
    'quote-lines, unknown articles': { values: { ...unknown, near_max: 5 } },
  }
}
