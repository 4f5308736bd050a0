/** Jobs. */
import { holdable } from '../../../apps/service/src/vocabulary/order-states.ts'
import type { ExplainCases } from './explain-case.ts'

export const workerCases: ExplainCases = {
  'archive-orders, a full batch': {
    values: { after_days: 90 },
    bound: 500 * 3 + 3 * 500, // An order is found, updated and shown by its event, with its contract; a client is updated.
    writes: 'orders clients events',
  },
  'archive-orders, nothing is due': { values: { after_days: 3650 } },
  'erase-addresses, a full batch': {
    values: { after_days: 1, open_states: holdable },
    prepare: `insert into orders_to_erase (client_id, order_id) select client_id, order_id from orders
      where order_state_id = 'completed' order by order_id limit 500`,
    // Each is found in the list and in the orders, with all that belongs to it, and found again for each write.
    bound: 500 * 40,
    writes: 'orders orders_to_erase',
  },
  'erase-addresses, nothing is due': {
    values: { after_days: 1, open_states: holdable },
    prepare: `insert into orders_to_erase select client_id, order_id, now() + interval '1 day' from orders`,
  },
  'delete-catalogue-changes, a full batch': {
    values: { kept_days: 90 },
    prepare: `insert into catalogue_changes (changed_at, changed, data, actor, request_id)
      select now() - interval '91 days', 'item', '{}', 'test', 'test' from generate_series(1, 1000)`,
    bound: 3 * 1000, // Found, locked, deleted.
    writes: 'catalogue_changes',
  },
  'delete-catalogue-changes, nothing is due': { values: { kept_days: 3650 }, bound: 2 * 1000 },
  'delete-orders, a full batch': {
    values: { kept_days: 90, after_at: '-infinity', after_id: 0 },
    // Before all that are archived already.
    prepare: `update orders set order_archive_datetime = '2000-01-01', order_update_datetime = '2000-01-01'
      where order_id in (select order_id from orders where order_state_id = 'completed' order by order_id limit 20);
      delete from events e using orders o
      where o.order_archive_datetime = '2000-01-01' and e.client_id = o.client_id and e.order_id = o.order_id`,
    // Found with all that belongs to it, for each of the eleven tables, and by the foreign keys.
    bound: 20 * 60,
    writes: 'order_items order_history orders',
  },
  'delete-orders, nothing is due': { values: { kept_days: 3650, after_at: '-infinity', after_id: 0 } },
  'expire-events, a full batch': {
    values: { kept_days: 1 },
    prepare: `update events_before set event_datetime = now() - interval '2 days' where (client_id, event_number) in (
      select client_id, event_number from events_before
      order by transaction_id desc, client_id desc, event_number desc limit 1)`,
    bound: 500 * 4 + 1, // A client is found, locked and updated, and its last number looked up; the newest event.
    writes: 'clients event_feed',
  },
  'expire-events, nothing is due': { values: { kept_days: 3650 }, atLeast: 0 },
  'publish-item-changes, a full batch': {
    values: { events_max: 1_000, changes_max: 5_000 },
    prepare: `update item_feed set event_transaction = '0';
      insert into changed_goods (kind, of_id, item_id) select 'p', 1, n from generate_series(1, 5000) n`,
    bound: 40_000,
    writes: 'changed_goods item_changes item_feed',
  },
  'publish-item-changes, nothing has changed': { values: { events_max: 1_000, changes_max: 5_000 } },
  'record-expired-keys, 50 keys': {
    prepare: `update api_keys set expires_at = now() - interval '1 hour' where key_id <= 50`,
    writes: 'api_keys clients events',
  },
  'record-expired-keys, nothing is due': {},
  'count-day, today': {
    values: { days: 1 },
    prepare: `update orders set order_create_datetime = now() where order_id in (
      select order_id from orders order by order_id limit 1000)`,
    bound: 4 * 1000, // The orders of the day, in both indexes.
    writes: 'daily_figures',
  },
  'sum-open': {
    values: { states: holdable },
    bound: 4 * 1001 + 4,
    writes: 'open_figures',
  },
  'measure-backlog, many requests wait': {
    bound: 2 * 1000 + 200, // The rows of each kind, and those of the migrations.
  },
  'sweep-cart-groups, some are empty': {
    prepare: 'delete from cart_items where client_id <= 10',
    writes: 'cart_groups',
  },
  'sweep-carts, some have been empty for long': {
    prepare: `with made as (
        insert into carts (client_id, cart_id, cart_name, emptied_at)
        select client_id, -client_id, 'Abandoned', now() - interval '31 days' from clients where client_id <= 10
        returning client_id)
      update clients set cart_count = cart_count + 1 where client_id in (select client_id from made)`,
    // A page; and for each abandoned cart: its groups, locked, deleted; its client locked, updated.
    bound: 500 + 5 * 10,
    writes: 'carts clients',
  },
  'sweep-carts, none has been empty for long': { bound: 500 },
}
