/** Clients place orders, read them, and ask for changes. */
import { withdrawnMessage } from '../../../apps/service/src/orders/adjustment.ts'
import { pairOfEveryOrder, returnRequested } from './cases-operator-orders.ts'
import { cancellationRequested } from '../../../apps/service/src/vocabulary/order-states.ts'
import type { CaseValues, ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample, SampledCart } from './sample.ts'
import { digest } from './values.ts'

export function orderCases(sample: Sample): ExplainCases {
  const { client_id, contact_id, order_id, order_item_id, adjustment_id } = sample
  const { middle_day, day_after_middle, reference, article: sku_code, middle_order_id: after_id } = sample
  // prettier-ignore
  const place = ({ cart_group_id, lines_digest, prices_digest, terms_digest }: SampledCart) => ({
    cart_group: cart_group_id, shown_lines: lines_digest, shown_prices: prices_digest, shown_terms: terms_digest,
    shown_virtual: false, request_digest: digest, contact: contact_id,
  })
  const placed = 'cart_groups carts contracts stock_levels orders order_items order_history clients events'
  const list = (filter: CaseValues, atLeast: number): ExplainCase => ({
    values: { page_size: 101, ...filter },
    atLeast,
  })
  const full = {
    items: true,
    shipments: true,
    returns: true,
    documents: true,
    metadata: true,
    actions: true,
    days_ahead_max: 3650,
  }
  const short = {
    ...full,
    items: false,
    shipments: false,
    returns: false,
    documents: false,
    metadata: false,
    actions: false,
  }
  const listFull = (filter: CaseValues, atLeast: number): ExplainCase => list({ ...full, ...filter }, atLeast)
  const completed = { states: ['completed'] }
  const three = { states: ['new', 'processing', 'completed'] }
  const events = { limit: 100 }
  const pair = { pair_key: 'job', pair_value: 'Explain' }
  const paired = (one: ExplainCase): ExplainCase => ({ prepare: pairOfEveryOrder, ...one })
  const requested = { values: { quantity: 777 }, writes: 'adjustments clients events' }
  return {
    'place-order, 5 lines': { values: place(sample.smallCart), writes: placed },
    'place-order, 500 lines': { values: place(sample.largeCart), writes: placed },
    'list-addresses': { atLeast: 0 },
    'put-address, a new one': { values: { address_name: 'Explain', addresses_max: 1_000 }, writes: 'addresses' },
    'delete-address': {
      prepare: `insert into addresses (client_id, address_id, contact_id, address_name, zip, country_code, region_code,
        city, street, home) values (${client_id}, 1, ${contact_id}, 'Old', '1', 'DE', 'DE-BE', 'Berlin', 'A', '1')`,
      values: { address_id: 1 },
      writes: 'addresses',
    },
    'place-order, with metadata': {
      values: { ...place(sample.smallCart), metadata: '{"job": "Explain"}' },
      writes: `${placed} order_metadata`,
    },
    'place-order, repeated': { values: place({ ...sample.smallCart, cart_group_id: sample.ordered_group_id }) },
    'read-order': {},
    'read-full-order, everything': { values: full },
    'read-full-order, without lines': { values: short },
    'list-full-orders, everything': listFull({ page_size: 51 }, 50),
    'list-full-orders, without lines': listFull(short, 50),
    'list-full-orders, reference': listFull({ reference }, 1),
    'list-full-orders, metadata': paired(listFull(pair, 50)),
    'list-full-orders, three states': listFull(three, 40),
    'list-full-orders, article': listFull({ sku_code }, 1),
    'find-order': {},
    'list-order-items': {},
    'list-orders, plain': list({}, 50),
    'list-orders, plain, 500 a page': list({ page_size: 501 }, 50),
    'list-orders, with cursor': list({ after_id }, 25),
    'list-orders, state completed': list(completed, 40),
    'list-orders, state new': list({ states: ['new'] }, 1),
    'list-orders, state completed with cursor': list({ ...completed, after_id }, 20),
    'list-orders, three states': list(three, 40),
    'list-orders, three states with cursor': list({ ...three, after_id }, 20),
    'list-orders, reference': list({ reference }, 1),
    'list-orders, reference, state and article': list({ reference, ...completed, sku_code }, 0),
    'list-orders, metadata': paired(list(pair, 50)),
    'list-orders, metadata with cursor': paired(list({ ...pair, after_id }, 20)),
    'list-orders, metadata, state and article': {
      ...paired(list({ ...pair, ...completed, sku_code }, 3)),
      bound: 1_000, // The client's orders with the pair, and their lines.
    },
    'list-orders, from a day on': list({ date_from: middle_day }, 25),
    'list-orders, up to a day': list({ date_to: day_after_middle }, 25),
    'list-orders, one day': list({ date_from: middle_day, date_to: day_after_middle }, 1),
    'list-orders, state and dates': list({ ...completed, date_from: middle_day, date_to: '2100-01-01' }, 20),
    'list-orders, article': list({ sku_code }, 5),
    'list-orders, article and state': list({ sku_code, ...completed }, 3),
    'list-orders, article and dates': list({ sku_code, date_from: '2000-01-01', date_to: '2100-01-01' }, 5),
    'cancel-order, with open adjustments': {
      values: { requested: cancellationRequested },
      writes: 'orders order_history adjustments clients events',
    },
    'change-shipping-date': { values: { client: client_id }, writes: 'orders order_history clients events' },
    'read-events, from the beginning': { values: { ...events, after: 0 }, atLeast: 100 },
    'read-events, nothing new': { values: { ...events, after: 1_000_000 } },
    'newer-events, a hundred clients wait': {
      values: {
        client_ids: Array.from({ length: 100 }, (_, n) => n + 1),
        event_numbers: Array.from({ length: 100 }, () => 0),
      },
      atLeast: 50,
    },
    'request-adjustment, superseding another': requested,
    'request-adjustment, for the present quantity': {
      ...requested,
      prepare: `update order_items set order_item_quantity = 777 where order_item_id = ${order_item_id}`,
    },
    'withdraw-adjustment': {
      values: { client: client_id, order_id, message: withdrawnMessage },
      writes: 'adjustments clients events',
    },
    'request-return': {
      values: { order_item_ids: [order_item_id], quantities: [1], requests_max: 100 },
      prepare: `update order_items set shipped_quantity = 1 where order_item_id = ${order_item_id}`,
      writes: 'return_requests return_request_lines orders clients events idempotency_keys',
    },
    'withdraw-return': {
      values: { client: client_id, order_id, return_request_id: 1, message: withdrawnMessage },
      prepare: returnRequested({ client_id, order_id, order_item_id }),
      writes: 'return_requests clients events',
    },
    'list-adjustments, plain': { values: { page_size: 101 }, atLeast: 3 },
    'list-adjustments, with cursor': { values: { after_id: adjustment_id + 2, page_size: 101 }, atLeast: 2 },
    'read-adjustment': {},
  }
}
