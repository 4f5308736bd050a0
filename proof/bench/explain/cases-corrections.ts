import type { ExplainCase } from './explain-case.ts'
import { matchesMax } from '../../../apps/service/src/catalogue/list-items.ts'
import { historyMax } from '../../../apps/service/src/orders/order-actions.ts'
import { notesMax } from '../../../apps/service/src/orders/operator-order.ts'
import { adjustable, reducible, reschedulable, reservable } from '../../../apps/service/src/vocabulary/order-states.ts'
import { undoHoursMax } from '../../../apps/service/src/orders/moving/undo-cancellation.ts'
import type { SampledValues } from './sample.ts'

const retry = { idempotency_key: 'explain', request_digest: '\\xab' }
const by = { actor: 'operator key 1, Explain', request_id: 'req-explain' }

/** What operators correct in an order. */
export function correctionExplainCases({
  order_id,
  order_item_id,
  middle_item_id,
  shipping_date,
}: SampledValues): ExplainCase[] {
  const moved = ['orders', 'order_history', 'clients', 'events']
  const changed = [...moved, 'contracts', 'stock_levels', 'order_items', 'order_item_changes']
  const line = { order_id, order_item_id }
  /** The item has a price and a level where the order needs them. */
  const offered = `
    insert into prices (price_list_id, item_id, price)
    select price_list_id, ${middle_item_id}, 10 from price_lists on conflict do nothing;
    insert into stock_levels (stock_id, item_id, on_hand, back_order)
    select stock_id, ${middle_item_id}, 10, true from stocks
    on conflict (stock_id, item_id) do update set back_order = true;
    update items set on_sale = true where item_id = ${middle_item_id}`
  const added = { order_id, item_id: middle_item_id, article: null, quantity: 2, matches_max: matchesMax }
  const named = { ...added, item_id: null, article: 'Explain-1' }
  const renamed = `${offered}; update items set item_vendor_code = 'EXPLAIN 1' where item_id = ${middle_item_id}`
  const adding = {
    reason: 'Explain',
    raisable: adjustable,
    lines_max: 1_000,
    dry_run: false,
    expected: null,
    ...retry,
    ...by,
  }
  const undo = { undo_hours: undoHoursMax, open_states: reservable }
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
  return [
    {
      statement: 'add-note',
      variant: 'internal',
      values: {
        order_id,
        note: 'Explain',
        internal: true,
        notes_max: notesMax,
        history_max: historyMax,
        ...retry,
        ...by,
      },
      writes: ['order_notes', 'operator_idempotency_keys'],
    },
    {
      statement: 'add-note',
      variant: 'for the client',
      values: {
        order_id,
        note: 'Explain',
        internal: false,
        notes_max: notesMax,
        history_max: historyMax,
        ...retry,
        ...by,
      },
      writes: [...moved, 'operator_idempotency_keys'],
    },
    {
      statement: 'change-line',
      variant: 'reduced',
      prepare: `
        update order_items set order_item_quantity = 777 where order_item_id = ${order_item_id};
        update stock_levels s set reserved = s.reserved + 777, back_order = true from orders o, order_items i
        where o.order_id = ${order_id} and i.order_item_id = ${order_item_id}
          and s.stock_id = o.stock_id and s.item_id = i.item_id;
        update contracts c set exposure = c.exposure + 1000000, contract_limit = 0 from orders o
        where o.order_id = ${order_id} and c.contract_id = o.contract_id`,
      values: {
        ...line,
        quantity: 776,
        reason: 'Explain',
        raisable: adjustable,
        reducible,
        dry_run: false,
        expected: null,
        ...by,
      },
      writes: [...changed, 'adjustments'],
    },
    {
      statement: 'add-line',
      variant: 'by id',
      prepare: offered,
      values: { ...added, ...adding },
      writes: [...changed, 'operator_idempotency_keys'],
    },
    {
      statement: 'add-line',
      variant: 'by article',
      prepare: renamed,
      values: { ...named, ...adding },
      writes: [...changed, 'operator_idempotency_keys'],
    },
    {
      statement: 'undo-cancellation',
      variant: '',
      prepare: cancelled,
      values: { order_id, ...undo, reason: 'Explain', ...by },
      writes: [...moved, 'contracts', 'stock_levels'],
    },
    {
      statement: 'reschedule-order',
      variant: '',
      values: {
        client: null,
        order_id,
        shipping_date,
        days_ahead_max: 90,
        reschedulable,
        history_max: historyMax,
        ...by,
      },
      writes: moved,
    },
    {
      statement: 'return-goods',
      variant: '',
      prepare: `update order_items set shipped_quantity = 1 where order_item_id = ${order_item_id}`,
      values: {
        order_id,
        order_item_ids: [order_item_id],
        quantities: [1],
        restock: true,
        reason: 'Explain',
        expected: null,
        ...retry,
        ...by,
      },
      writes: [...moved, 'stock_levels', 'order_returns', 'order_return_lines', 'operator_idempotency_keys'],
    },
  ]
}
