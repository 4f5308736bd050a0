import type { ExplainCase } from './explain-case.ts'

const request_id = 'archive-orders-explain'

export const workerExplainCases: readonly ExplainCase[] = [
  {
    statement: 'archive-orders',
    variant: 'a full batch',
    values: { after_days: 90, actor: 'worker', request_id },
    bound: 500 * 3 + 3 * 500, // An order is found, updated and shown by its event, with its contract; a client is updated.
    writes: ['orders', 'clients', 'events'],
  },
  { statement: 'archive-orders', variant: 'nothing is due', values: { after_days: 3650, actor: 'worker', request_id } },
  {
    statement: 'expire-events',
    variant: 'a full batch',
    values: { kept_days: 1, after_client: 0 },
    prepare: `update events_before set event_datetime = now() - interval '2 days' where (client_id, event_number) in (
      select client_id, event_number from events_before
      order by transaction_id desc, client_id desc, event_number desc limit 1)`,
    bound: 500 * 4 + 1, // A client is found, locked and updated, and its last number looked up; the newest event.
    writes: ['clients', 'event_feed'],
  },
  {
    statement: 'expire-events',
    variant: 'nothing is due',
    values: { kept_days: 3650, after_client: 0 },
    atLeast: 0,
  },
  {
    statement: 'record-expired-keys',
    variant: '50 keys',
    values: { actor: 'worker', request_id },
    prepare: `update api_keys set expires_at = now() - interval '1 hour' where key_id <= 50`,
    writes: ['api_keys', 'clients', 'events'],
  },
  { statement: 'record-expired-keys', variant: 'nothing is due', values: { actor: 'worker', request_id } },
  {
    statement: 'count-day',
    variant: 'today',
    values: { days: 1 },
    prepare: `update orders set order_create_datetime = now() where order_id in (
      select order_id from orders order by order_id limit 1000)`,
    bound: 4 * 1000, // The orders of the day, in both indexes.
    writes: ['daily_figures'],
  },
  {
    statement: 'sum-open',
    variant: '',
    values: { states: ['new', 'processing', 'fulfilling', 'zayavka-na-otmen'], most: 1000 },
    bound: 4 * 1001 + 4,
    writes: ['open_figures'],
  },
  {
    statement: 'measure-backlog',
    variant: 'many requests wait',
    values: { most: 1000 },
    bound: 2 * 1000 + 200, // The rows of each kind, and those of the migrations.
  },
  {
    statement: 'sweep-cart-groups',
    variant: 'some are empty',
    values: { after_client: 0, after_group: 0 },
    prepare: 'delete from cart_items where client_id <= 10',
    writes: ['cart_groups'],
  },
  {
    statement: 'sweep-carts',
    variant: 'some have been empty for long',
    values: { after_client: 0, after_cart: 0, empty_days_max: 30 },
    prepare: `with made as (
        insert into carts (client_id, cart_id, cart_name, emptied_at)
        select client_id, -client_id, 'Abandoned', now() - interval '31 days' from clients where client_id <= 10
        returning client_id)
      update clients set cart_count = cart_count + 1 where client_id in (select client_id from made)`,
    // A page; and for each abandoned cart: its groups, locked, deleted; its client locked, updated.
    bound: 500 + 5 * 10,
    writes: ['carts', 'clients'],
  },
  {
    statement: 'sweep-carts',
    variant: 'none has been empty for long',
    values: { after_client: 0, after_cart: 0, empty_days_max: 30 },
    bound: 500,
  },
]
