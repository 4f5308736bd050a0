import type { ExplainCase, CaseValue } from './explain-case.ts'
import {
  adjustable,
  cancellable,
  cancellationRequested,
  reschedulable,
} from '../../../apps/service/src/vocabulary/order-states.ts'
import { withdrawnMessage } from '../../../apps/service/src/orders/adjustment.ts'
import { historyMax } from '../../../apps/service/src/orders/order-actions.ts'
import { bytesPerPageMax } from '../../../apps/service/src/orders/order-goods.ts'
import { orderInput } from '../order-address.ts'
import type { SampledCart, SampledValues } from './sample.ts'

const by = { actor: 'key 1', request_id: 'req-explain' }

export function orderExplainCases(sample: SampledValues): ExplainCase[] {
  const { client_id, contact_id, order_id, order_item_id, adjustment_id } = sample
  const order = { client_id, order_id }
  const page = {
    client_id,
    states: null,
    date_from: null,
    date_to: null,
    sku_code: null,
    reference: null,
    after_id: null,
    page_size: 101,
  }
  const list = (variant: string, filter: Readonly<Record<string, CaseValue>>, atLeast: number): ExplainCase => ({
    statement: 'list-orders',
    variant,
    values: { ...page, ...filter },
    atLeast,
  })
  const full = { items: true, shipments: true, actions: true, reschedulable, days_ahead_max: 3650 }
  const listFull = (variant: string, filter: Readonly<Record<string, CaseValue>>, atLeast: number): ExplainCase => ({
    statement: 'list-full-orders',
    variant,
    values: { ...page, ...full, ...filter },
    atLeast,
  })
  const placed = {
    writes: [
      'cart_groups',
      'carts',
      'contracts',
      'stock_levels',
      'orders',
      'order_items',
      'order_history',
      'clients',
      'events',
    ],
  }
  const requested = {
    values: {
      client: client_id,
      contact: contact_id,
      order_id,
      order_item_id,
      quantity: 777,
      reason: null,
      adjustable,
      ...by,
    },
    writes: ['adjustments', 'clients', 'events'],
  }
  return [
    {
      statement: 'place-order',
      variant: '5 lines',
      values: { ...groupKeyOf(client_id, sample.smallCart), contact: contact_id, remark: '', ...orderInput, ...by },
      ...placed,
    },
    {
      statement: 'place-order',
      variant: '500 lines',
      values: { ...groupKeyOf(client_id, sample.largeCart), contact: contact_id, remark: '', ...orderInput, ...by },
      ...placed,
    },
    ...forClientCases(sample),
    {
      statement: 'place-order',
      variant: 'repeated',
      values: {
        ...groupKeyOf(client_id, { ...sample.smallCart, cart_group_id: sample.ordered_group_id }),
        contact: contact_id,
        remark: '',
        ...orderInput,
        ...by,
      },
    },
    { statement: 'read-order', variant: '', values: order },
    { statement: 'read-full-order', variant: 'everything', values: { ...order, ...full } },
    {
      statement: 'read-full-order',
      variant: 'without lines',
      values: { ...order, ...full, items: false, shipments: false, actions: false },
    },
    listFull('everything', { page_size: 51 }, 50),
    listFull('without lines', { items: false, shipments: false, actions: false }, 50),
    listFull('reference', { reference: sample.reference }, 1),
    listFull('three states', { states: ['new', 'processing', 'completed'] }, 40),
    listFull('article', { sku_code: sample.article }, 1),
    { statement: 'find-order', variant: '', values: order },
    { statement: 'list-order-items', variant: '', values: order },
    list('plain', {}, 50),
    list('plain, 500 a page', { page_size: 501 }, 50),
    list('with cursor', { after_id: sample.middle_order_id }, 25),
    list('state completed', { states: ['completed'] }, 40),
    list('state new', { states: ['new'] }, 1),
    list('state completed with cursor', { states: ['completed'], after_id: sample.middle_order_id }, 20),
    list('three states', { states: ['new', 'processing', 'completed'] }, 40),
    list(
      'three states with cursor',
      { states: ['new', 'processing', 'completed'], after_id: sample.middle_order_id },
      20,
    ),
    list('reference', { reference: sample.reference }, 1),
    list(
      'reference, state and article',
      { reference: sample.reference, states: ['completed'], sku_code: sample.article },
      0,
    ),
    list('from a day on', { date_from: sample.middle_day }, 25),
    list('up to a day', { date_to: sample.day_after_middle }, 25),
    list('one day', { date_from: sample.middle_day, date_to: sample.day_after_middle }, 1),
    list('state and dates', { states: ['completed'], date_from: sample.middle_day, date_to: '2100-01-01' }, 20),
    list('article', { sku_code: sample.article }, 5),
    list('article and state', { sku_code: sample.article, states: ['completed'] }, 3),
    list('article and dates', { sku_code: sample.article, date_from: '2000-01-01', date_to: '2100-01-01' }, 5),
    {
      statement: 'cancel-order',
      variant: 'with open adjustments',
      values: { client: client_id, order_id, requested: cancellationRequested, cancellable, ...by },
      writes: ['orders', 'order_history', 'adjustments', 'clients', 'events'],
    },
    {
      statement: 'change-shipping-date',
      variant: '',
      values: {
        client: client_id,
        order_id,
        shipping_date: sample.shipping_date,
        days_ahead_max: 90,
        reschedulable,
        history_max: historyMax,
        ...by,
      },
      writes: ['orders', 'order_history', 'clients', 'events'],
    },
    {
      statement: 'read-events',
      variant: 'from the beginning',
      values: { client_id, after: 0, limit: 100, bytes_max: bytesPerPageMax },
      atLeast: 100,
    },
    {
      statement: 'read-events',
      variant: 'nothing new',
      values: { client_id, after: 1_000_000, limit: 100, bytes_max: bytesPerPageMax },
    },
    {
      statement: 'newer-events',
      variant: 'a hundred clients wait',
      values: {
        client_ids: Array.from({ length: 100 }, (_, n) => n + 1),
        event_numbers: Array.from({ length: 100 }, () => 0),
      },
      atLeast: 50,
    },
    {
      statement: 'request-adjustment',
      variant: 'superseding another',
      ...requested,
    },
    {
      statement: 'request-adjustment',
      variant: 'for the present quantity',
      prepare: `update order_items set order_item_quantity = 777 where order_item_id = ${order_item_id}`,
      ...requested,
    },
    {
      statement: 'withdraw-adjustment',
      variant: '',
      values: { client: client_id, order_id, adjustment_id, message: withdrawnMessage, expected: null, ...by },
      writes: ['adjustments', 'clients', 'events'],
    },
    {
      statement: 'list-adjustments',
      variant: 'plain',
      values: { ...order, after_id: null, page_size: 101 },
      atLeast: 3,
    },
    {
      statement: 'list-adjustments',
      variant: 'with cursor',
      values: { ...order, after_id: adjustment_id + 2, page_size: 101 },
      atLeast: 2,
    },
    { statement: 'read-adjustment', variant: '', values: { ...order, adjustment_id } },
  ]
}

const groupKeyOf = (
  client_id: number,
  { cart_group_id, lines_digest, prices_digest, terms_digest }: SampledCart,
): Record<string, CaseValue> => ({
  client: client_id,
  cart_group: cart_group_id,
  shown_lines: lines_digest,
  shown_prices: prices_digest,
  shown_terms: terms_digest,
  shown_virtual: false,
  request_digest: `\\x${'ab'.repeat(32)}`,
})

/** 500 lines, half of them by id and half by article. */
function forClientCases({ client_id, contract_id, stock_id, orderable }: SampledValues): ExplainCase[] {
  const lines = orderable.slice(0, 500)
  const named = {
    client: client_id,
    contact: null,
    contract: contract_id,
    stock: stock_id,
    dry_run: false,
    item_ids: lines.map(({ item_id }, n) => (n % 2 === 0 ? item_id : null)),
    articles: lines.map(({ article }, n) => (n % 2 === 0 ? null : article)),
    brands: lines.map(() => null),
    quantities: lines.map(() => 1),
    matches_max: 20,
    expected_total: null,
  }
  const plenty = `update stock_levels set back_order = true where stock_id = ${stock_id};
    update contracts set contract_limit = 0 where contract_id = ${contract_id}`
  const retry = {
    idempotency_key: 'explain',
    retry_digest: '\\xab',
    request_digest: '\\xcd',
    remark: 'Explain',
    quantity_max: 1_000_000,
  }
  const writes = ['contracts', 'stock_levels', 'orders', 'order_items', 'order_history', 'clients', 'events']
  return [
    {
      statement: 'order-for-client',
      variant: '500 lines',
      prepare: plenty,
      values: { ...named, ...orderInput, ...retry, ...by },
      writes: [...writes, 'operator_idempotency_keys'],
    },
    {
      statement: 'order-for-client',
      variant: '500 lines, dry run',
      prepare: plenty,
      values: { ...named, ...orderInput, ...retry, ...by, dry_run: true },
    },
  ]
}
