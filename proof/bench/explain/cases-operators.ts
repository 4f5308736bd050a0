import type { ExplainCase } from './explain-case.ts'
import { clientsPage, wordsScannedMax } from '../../../apps/service/src/clients/list-clients.ts'
import { eventsScannedMax, logPage, type LogFilter } from '../../../apps/service/src/events/feed/list-log.ts'
import { adjustmentStatuses } from '../../../apps/service/src/orders/adjustment.ts'
import { bytesPerPageMax } from '../../../apps/service/src/orders/order-goods.ts'
import { adjustable, cancellable, holdable, reservable } from '../../../apps/service/src/vocabulary/order-states.ts'
import { countsParameters } from '../../../apps/service/src/orders/decisions/read-counts.ts'
import {
  operatorOrdersPage,
  type OrderFilter,
  ordersScannedMax,
  searchedOrdersPage,
  sortedOrdersPage,
} from '../../../apps/service/src/orders/finding/read-operator-orders.ts'
import type { SampledValues } from './sample.ts'

const retry = { idempotency_key: 'explain', request_digest: '\\xab' }

/** Answers to an operator's requests, in one go. */
const storedAnswers = `insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
   select 'operator key 1, Explain', 'create-contact', concat('k', nullif(n, 0)), '', '{}' from generate_series(0, 999) n`

const by = { actor: 'operator key 1, Explain', request_id: 'req-explain' }

/** Twenty for each client of the larger database. */
const auditEntries = `insert into audit_entries (audit_action, client_id, contact_id, key_id, actor, request_id)
  select 'key_issued', c, c, n, 'explain', 'explain' from generate_series(1, 1000) c, generate_series(1, 20) n`

const viewer = { owner: 'key 1', administers: false }

/** A hundred views of each of ten operators; view 1 is of the first. */
const operatorViews = `insert into operator_views (view_id, owner, owner_name, view_name, filters, shared)
  select (k - 1) * 100 + n, 'key ' || k, 'Explain', 'View ' || n, 'held=true', n % 10 = 0
  from generate_series(1, 10) k, generate_series(1, 100) n`

/** Each figure counts up to 1,001: 7 states, 4 states of at most 10 stocks, 2 kinds of requests, held orders, and levels. */
const countsRowsMax = (7 + 4 * 10 + 2 + 1) * 1_001 + 2_001

const heldOrders = `update orders set hold_reason = 'Explain.' where order_id % 20 = 0`
const scheduledOrders = `
  update orders set order_shipping_date = order_create_datetime::date + 3 where order_id % 4 = 0`

const operatorEvents = `
  update events set actor = '${by.actor}', event_type = 'order.state_changed'
  where order_id is not null and event_number % 4 = 0`

const terms = {
  contract_name: 'Explain',
  contract_service: false,
  contract_limit: 0,
  price_list_id: 1,
  discount_percent: 0,
  tax_mode: 'included',
  tax_percent: 0,
}

export function operatorExplainCases({
  client_id,
  contact_id,
  contract_id,
  stock_id,
  article,
  order_id,
  order_item_id,
  smallCart,
  adjustment_id,
  middle_order_id,
  day_after_middle,
  reference,
  city,
  orderable,
}: SampledValues): ExplainCase[] {
  const moved = ['orders', 'order_history', 'clients', 'events']
  const move = (variant: string, to_state: string, writes: readonly string[]): ExplainCase => ({
    statement: 'move-order',
    variant,
    values: {
      order_id,
      to_state,
      from_states: cancellable,
      adjustable,
      deciding: false,
      unchanged_state: to_state,
      expected: null,
      remark: '',
      move_id: null,
      ...by,
    },
    writes,
  })
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
  const ship = (variant: string, order_item_ids: number[] | null): ExplainCase => ({
    statement: 'ship-order',
    variant,
    prepare: assembled,
    values: {
      order_id,
      from_states: ['fulfilling'],
      order_item_ids,
      quantities: order_item_ids?.map(() => 1) ?? null,
      expected: null,
      carrier: 'DHL',
      tracking: '0034',
      unchanged_state: 'shipped',
      remark: '',
      move_id: null,
      ...retry,
      ...by,
    },
    writes: [...moved, 'stock_levels', 'order_items', 'shipments', 'shipment_lines', 'operator_idempotency_keys'],
  })
  const list = (variant: string, filter: OrderFilter, after_id: number | null = null): ExplainCase => ({
    statement: 'list-operator-orders',
    variant,
    values: { ...operatorOrdersPage(filter, after_id, 21) },
    atLeast: 5, // As many orders as an article has in the smaller database.
  })
  /** Few orders are virtual, and in a small database possibly none of them is open. */
  const madeVirtual = `
    update stock_levels s set reserved = s.reserved - i.order_item_quantity
    from orders o join order_items i using (client_id, order_id)
    where o.order_id = ${order_id} and s.stock_id = o.stock_id and s.item_id = i.item_id and not o.virtual;
    update orders set virtual = true where order_id = ${order_id}`
  const accepted = [...moved, 'adjustments', 'contracts', 'stock_levels', 'order_items', 'order_item_changes']
  const lastLineRemoved = `
    update adjustments set quantity_wanted = 0 where adjustment_id = ${adjustment_id};
    update order_items i set order_item_quantity = 0
    from adjustments a
    where a.adjustment_id = ${adjustment_id} and i.client_id = a.client_id and i.order_id = a.order_id
      and i.order_item_id <> a.order_item_id`
  const start = { word: '', client_id: 0, contact_id: 0 }
  const clients = (variant: string, search: string, atLeast: number): ExplainCase => ({
    statement: 'list-clients',
    variant,
    values: { ...clientsPage(search, start, 21) },
    atLeast,
    bound: 4 * wordsScannedMax, // Each word is counted up to this, and as many are examined.
  })
  const adjustments = (variant: string, filter: ExplainCase['values'], atLeast: number): ExplainCase => ({
    statement: 'list-operator-adjustments',
    variant,
    values: { ...filter, before_id: Number.MAX_SAFE_INTEGER, page_size: 21 },
    atLeast,
  })
  const search = (variant: string, text: string, filter: OrderFilter, atLeast: number): ExplainCase => ({
    statement: 'search-orders',
    variant,
    values: { ...searchedOrdersPage(text, filter, null, 21) },
    atLeast,
    bound: 31 * 500 + 2 * 500, // Thirty-one walks and the references, each up to its limit.
  })
  const sorted = (
    variant: string,
    sort: 'ship_date' | 'total' | 'changed',
    filter: OrderFilter,
    after: { key: number; id: number } | null,
    atLeast: number,
  ): ExplainCase => ({
    statement: 'sort-orders',
    variant,
    values: { ...sortedOrdersPage(sort, filter, after, 21) },
    atLeast,
    bound: 20_000, // 2,000 orders with their lines and levels.
  })
  const log = (variant: string, filter: LogFilter, atLeast: number): ExplainCase => ({
    statement: 'list-log',
    variant,
    values: { ...logPage(filter, null, 21) },
    atLeast,
    bound: 3 * eventsScannedMax + 300, // Each event that is examined is looked up in both tables of events.
  })
  const inbox = { after_micros: 0, after_kind: '', after_id: 0, page_size: 21 }
  return [
    move('one step', 'processing', moved),
    move('cancelled', 'canceled', [...moved, 'contracts', 'stock_levels']),
    { statement: 'list-pick-list', variant: '', values: { stock_id, after_id: null, page_size: 6 }, atLeast: 5 },
    {
      statement: 'list-pick-list',
      variant: 'from the middle',
      values: { stock_id, after_id: middle_order_id, page_size: 6 }, // As many as the smaller database has.
      atLeast: 5,
    },
    { statement: 'find-order-ids', variant: '', values: { order_numbers: [100_000 + order_id] } },
    ship('everything', null),
    ship('one line', [order_item_id]),
    {
      statement: 'close-open',
      variant: '',
      prepare: partlyShipped,
      values: { order_id, from_states: ['fulfilling'], reason: 'Sold out.', expected: null, ...by },
      writes: [...moved, 'contracts', 'stock_levels', 'order_items', 'order_item_changes'],
    },
    {
      statement: 'find-move',
      variant: '',
      values: { order_id, move_id: '5f0c2b9e-7f3a-4a57-9d53-2b1f7f6c0a11' },
      atLeast: 0,
    },
    { statement: 'read-feed-position', variant: '', values: {} },
    { statement: 'read-database-identity', variant: '', values: {}, atLeast: 0 },
    { statement: 'record-database-identity', variant: '', values: {}, atLeast: 0 },
    {
      statement: 'clear-virtual',
      variant: '',
      prepare: madeVirtual,
      values: { order_id, reservable, ...by },
      writes: [...moved, 'stock_levels'],
    },
    {
      statement: 'hold-order',
      variant: '',
      values: { order_id, reason: 'Payment is overdue.', holdable, ...by },
      writes: moved,
    },
    {
      statement: 'mark-cart',
      variant: '',
      values: { client_id, cart_id: smallCart.cart_id, virtual: true, ...by },
      writes: ['carts', 'clients', 'events'],
    },
    {
      statement: 'accept-adjustment',
      variant: '',
      values: { adjustment_id, quantity_factor: 10, expected: null, confirmed: false, ...by },
      writes: accepted,
    },
    {
      statement: 'accept-adjustment',
      variant: 'removing the last line',
      prepare: lastLineRemoved,
      values: { adjustment_id, quantity_factor: 10, expected: null, confirmed: false, ...by },
      writes: accepted,
    },
    {
      statement: 'reject-adjustment',
      variant: '',
      values: { client: null, order_id: null, adjustment_id, message: 'No.', expected: null, ...by },
      writes: ['adjustments', 'clients', 'events'],
    },
    adjustments('all', { statuses: adjustmentStatuses, client: null }, 21),
    adjustments('waiting', { statuses: ['WAIT'], client: null }, 10),
    adjustments('of a client', { statuses: adjustmentStatuses, client: client_id }, 1),
    log('of an order', { order_id }, 1),
    log('of a client', { client_id }, 21),
    { ...log('of an operator', { actor: by.actor }, 1), prepare: operatorEvents },
    { ...log('of a type', { event_type: 'order.state_changed' }, 1), prepare: operatorEvents },
    log('all', {}, 21),
    log('up to a day', { date_to: day_after_middle }, 0), // Loaded transactions are not in the order of time.
    log('of a client and a type', { client_id, event_type: 'order.created' }, 1),
    { statement: 'read-counts', variant: '', values: { ...countsParameters }, atLeast: 20, bound: countsRowsMax },
    { statement: 'list-inbox', variant: '', values: inbox, atLeast: 20 },
    {
      statement: 'list-all-events',
      variant: 'from the beginning',
      values: {
        generation: null,
        after_transaction: null,
        after_client: null,
        after_number: null,
        page_size: 20,
        from_now: false,
        bytes_max: bytesPerPageMax,
      },
      atLeast: 20,
    },
    {
      statement: 'list-all-events',
      variant: 'from now',
      values: {
        generation: null,
        after_transaction: null,
        after_client: null,
        after_number: null,
        from_now: true,
        page_size: 20,
        bytes_max: bytesPerPageMax,
      },
      atLeast: 1,
    },
    {
      statement: 'list-all-events',
      variant: 'from the middle',
      values: {
        generation: 0,
        after_transaction: '0',
        after_client: client_id,
        after_number: 1,
        page_size: 20,
        from_now: false,
        bytes_max: bytesPerPageMax,
      },
      atLeast: 20,
    },
    list('all', {}),
    list('one state', { state: ['completed'] }),
    list('one client', { client_id }),
    list("one client's state", { client_id, state: ['completed'] }),
    list('one stock', { stock_id }),
    list('three states', { state: ['new', 'processing', 'completed'] }),
    list("one client's three states", { client_id, state: ['new', 'processing', 'completed'] }),
    list("one stock's state", { stock_id, state: ['completed'] }),
    { ...list('one contract', { contract_id }), atLeast: 5 },
    { ...list("one contract's state", { contract_id, state: ['completed'] }), atLeast: 5 },
    { ...list('one article', { sku_code: article }), atLeast: 5 },
    { ...list("one client's article", { client_id, sku_code: article }), atLeast: 5 },
    { ...list('article and state', { sku_code: article, state: ['completed'] }), atLeast: 5 },
    list('client and stock', { client_id, stock_id }),
    list('up to a day', { date_to: day_after_middle }),
    list("one stock's, up to a day", { stock_id, date_to: day_after_middle }),
    list('next page', {}, middle_order_id),
    list("one stock's next page", { stock_id }, middle_order_id),
    { ...list("one article's next page", { sku_code: article }, middle_order_id), atLeast: 1 },
    { ...list('held', { held: true }), prepare: heldOrders },
    {
      ...list("one client's held", { held: true, client_id }),
      prepare: heldOrders,
      atLeast: 1,
      bound: ordersScannedMax + 21 * 20, // The orders examined, and those of the page with their lines, notes and history.
    },
    search('a number', '100001', {}, 1),
    search('an article', article, {}, 5),
    search('a barcode', orderable[0]?.barcode ?? '', {}, 0),
    search('the beginning of a reference', reference, {}, 1),
    search('a client', `dealer${client_id}.example`, {}, 1),
    search('a city', city, {}, 21),
    search('the beginning of every city, client and reference', '', {}, 21),
    search('a city and a state', city, { state: ['completed'] }, 1),
    search('nothing', 'No such thing', {}, 0),
    sorted('by total', 'total', {}, null, 21),
    sorted('by total, short', 'total', { short: true }, null, 0),
    sorted('by total, next page', 'total', {}, { key: 1_000_000_000, id: middle_order_id }, 1),
    { ...sorted('by shipping date', 'ship_date', {}, null, 21), prepare: scheduledOrders },
    { ...sorted('by shipping date, of a stock', 'ship_date', { stock_id }, null, 1), prepare: scheduledOrders },
    sorted('by last change', 'changed', {}, null, 21),
    sorted('by last change, of a client', 'changed', { client_id }, null, 1),
    { statement: 'list-operator-order-items', variant: '', values: { order_id } },
    { statement: 'find-operator-order', variant: 'by id', values: { order_id, order_number: null } },
    { statement: 'find-operator-order', variant: 'by number', values: { order_id: null, order_number: 100_001 } },
    {
      statement: 'create-client',
      variant: '',
      values: {
        client_name: 'Explain',
        contact_name: 'Explain',
        contact_email: null,
        ...terms,
        stock_ids: [1],
        unique_references: false,
        ...by,
        ...retry,
      },
      writes: ['operator_idempotency_keys', 'clients', 'contacts', 'contracts', 'client_stocks', 'events'],
    },
    { statement: 'find-missing-references', variant: '', values: { price_list_id: 1, stock_ids: [1] } },
    {
      statement: 'block-client',
      variant: '',
      values: { client_id, reason: 'Payment is overdue.', ...by },
      writes: ['clients', 'events'],
    },
    {
      statement: 'block-contract',
      variant: '',
      values: { client_id, contract_id, reason: 'Payment is overdue.', ...by },
      writes: ['contracts', 'clients', 'events'],
    },
    {
      statement: 'change-client',
      variant: 'name and stocks',
      values: {
        client_id,
        client_name: 'Explain',
        stock_ids: [1, 2, 3],
        unique_references: true,
        changes: '{}',
        ...by,
      },
      writes: ['clients', 'client_stocks', 'events'],
    },
    {
      statement: 'create-contact',
      variant: '',
      values: { client_id, contact_name: 'Explain', contact_email: null, ...by, ...retry },
      writes: ['operator_idempotency_keys', 'contacts', 'clients', 'events'],
    },
    {
      statement: 'change-contact',
      variant: '',
      values: { client_id, contact_id, contact_name: 'Explain', contact_email: null, ...by },
      writes: ['contacts', 'clients', 'events'],
    },
    {
      statement: 'create-contract',
      variant: 'new default',
      values: { client_id, ...terms, contract_default: true, ...by, ...retry },
      writes: ['operator_idempotency_keys', 'contracts', 'clients', 'events'],
    },
    {
      statement: 'change-contract',
      variant: 'name',
      values: {
        client: client_id,
        contract: contract_id,
        changes: '{"contract_name": "Explain"}',
        expected: null,
        confirmed: false,
        ...by,
      },
      writes: ['contracts', 'clients', 'events'],
    },
    {
      statement: 'change-contract',
      variant: 'new default',
      values: {
        client: client_id,
        contract: contract_id,
        changes: '{"contract_default": true}',
        expected: null,
        confirmed: false,
        ...by,
      },
      writes: ['contracts', 'clients', 'events'],
    },
    {
      statement: 'erase-contact',
      variant: '',
      values: { client: client_id, contact: contact_id, ...by },
      prepare: `update orders set comment = 'Call me.' where client_id = ${client_id}`,
      writes: ['contacts', 'api_keys', 'orders', 'clients', 'events', 'audit_entries'],
    },
    { statement: 'read-client', variant: '', values: { client_id } },
    { statement: 'list-clients', variant: '', values: { ...clientsPage(undefined, start, 21) }, atLeast: 20 },
    clients('by a rare word', String(client_id), 1),
    clients('by a common word', 'autoteile', 20),
    clients('by a common and a rare word', `dealer gmbh contact1@dealer${client_id}.`, 1),
    clients('by two common words', 'autoteile gmbh', 20),
    { statement: 'list-client-keys', variant: '', values: { client_id, after_id: 0, page_size: 21 } },
    {
      statement: 'issue-client-key',
      variant: '',
      values: {
        client_id,
        contact_id,
        key_id: 9_000_000_002,
        digest: `\\x${'ab'.repeat(32)}`,
        scopes: ['carts:read'],
        rate_per_second: 50,
        rate_burst: 100,
        expires_at: null,
        ...by,
        ...retry,
      },
      writes: ['operator_idempotency_keys', 'api_keys', 'clients', 'events', 'audit_entries'],
    },
    { statement: 'explain-contact', variant: '', values: { client_id, contact_id } },
    {
      statement: 'change-client-key',
      variant: '',
      values: { key_id: client_id, rate_per_second: 5, rate_burst: null, changes: '{}', ...by },
      writes: ['api_keys', 'clients', 'events'],
    },
    {
      statement: 'record-client-key-uses',
      variant: 'three keys',
      values: { key_ids: [client_id, client_id + 1, client_id + 2], ages_ms: [0, 1_000, 60_000], most: 3 },
      writes: ['api_keys'],
    },
    { statement: 'record-operator-key-uses', variant: '', values: { key_ids: [1], ages_ms: [0], most: 1 } },
    {
      statement: 'revoke-client-key',
      variant: '',
      values: { client_id: null, key_id: client_id, ...by },
      writes: ['api_keys', 'clients', 'events', 'audit_entries'],
    },
    {
      statement: 'revoke-client-key',
      variant: 'by its client',
      values: { client_id, key_id: client_id, ...by },
      writes: ['api_keys', 'clients', 'events', 'audit_entries'],
    },
    { statement: 'find-operator-key', variant: '', values: { key_id: 1 }, atLeast: 0 },
    { statement: 'changed-operator-keys', variant: '', values: { most: 1000 }, atLeast: 0 },
    { statement: 'list-operator-keys', variant: '', values: { after_id: 0, page_size: 21 }, atLeast: 0 },
    {
      statement: 'issue-operator-key',
      variant: '',
      values: {
        key_id: 9_000_000_001,
        operator_name: 'Explain',
        role: 'viewer',
        digest: `\\x${'ab'.repeat(32)}`,
        expires_at: null,
        ...by,
        ...retry,
      },
      writes: ['operator_idempotency_keys', 'operator_keys', 'audit_entries'],
    },
    {
      statement: 'find-earlier-operator-answer',
      variant: '',
      values: { actor: by.actor, operation: 'create-contact', idempotency_key: 'k' },
      prepare: storedAnswers,
    },
    {
      statement: 'revoke-operator-key',
      variant: '',
      values: { key_id: 1, ...by },
      atLeast: 0,
    },
    { statement: 'find-session', variant: '', values: { key_id: 1 }, atLeast: 0 },
    { statement: 'changed-sessions', variant: '', values: { most: 1000 }, atLeast: 0 },
    {
      statement: 'list-sessions',
      variant: '',
      values: { before_id: Number.MAX_SAFE_INTEGER, page_size: 21 },
      atLeast: 0,
    },
    { statement: 'record-session-uses', variant: '', values: { key_ids: [1], ages_ms: [0], most: 1 } },
    {
      statement: 'start-session',
      variant: '',
      values: {
        session_id: 9_000_000_001,
        owner: 'oidc explain',
        key_id: null,
        operator_name: 'Explain',
        role: 'viewer',
        digest: `\\x${'ab'.repeat(32)}`,
        lasts_seconds: 3600,
        idle_seconds: 600,
        ...by,
      },
      writes: ['operator_sessions', 'audit_entries'],
    },
    { statement: 'end-session', variant: '', values: { session_id: 1, ...by }, atLeast: 0 },
    { statement: 'sign-out', variant: '', values: { owner: 'key 1', session_id: null, ...by } },
    {
      statement: 'list-views',
      variant: '',
      values: { ...viewer, after_id: 0, page_size: 21 },
      prepare: operatorViews,
      atLeast: 21,
    },
    {
      statement: 'create-view',
      variant: '',
      values: {
        ...viewer,
        owner_name: 'Explain',
        view_name: 'New',
        filters: 'held=true',
        shared: false,
        views_max: 100,
      },
      writes: ['operator_views'],
    },
    {
      statement: 'change-view',
      variant: '',
      values: { ...viewer, view_id: 1, view_name: 'Other', filters: null, shared: null },
      prepare: operatorViews,
      writes: ['operator_views'],
    },
    {
      statement: 'delete-view',
      variant: '',
      values: { ...viewer, view_id: 1 },
      prepare: operatorViews,
      writes: ['operator_views'],
    },
    { statement: 'explain-view', variant: '', values: { ...viewer, view_id: 1, view_name: 'Other' }, atLeast: 0 },
    { statement: 'explain-new-view', variant: '', values: { owner: 'key 1', view_name: 'Other' } },
    { statement: 'read-figures', variant: '', values: { days: 30, states: ['new', 'processing'] } },
    { statement: 'read-reject-reasons', variant: '', values: {} },
    {
      statement: 'set-reject-reasons',
      variant: '',
      values: { reasons: ['Sold out.'], changed_by: 'Explain' },
      writes: ['reject_reasons'],
    },
    {
      statement: 'list-audit-entries',
      variant: 'all',
      values: { client_id: null, before_id: Number.MAX_SAFE_INTEGER, page_size: 21 },
      prepare: auditEntries,
      atLeast: 21,
    },
    {
      statement: 'list-audit-entries',
      variant: 'of a client',
      values: { client_id, before_id: Number.MAX_SAFE_INTEGER, page_size: 21 },
      prepare: auditEntries,
      atLeast: 1,
    },
  ]
}
