import type { ExplainCase } from './explain-case.ts'

const request_id = 'archive-orders-explain'
const fromTheOldest = { after_transaction: '0', after_client: 0, after_number: 0 }

export const workerExplainCases: readonly ExplainCase[] = [
  {
    statement: 'archive-orders',
    variant: 'a full batch',
    values: { after_days: 90, actor: 'worker', request_id },
    bound: 500 * 3 + 2 * 500, // An order is found, updated and referenced by an event; a client is locked and updated.
    writes: ['orders', 'clients', 'events'],
  },
  { statement: 'archive-orders', variant: 'nothing is due', values: { after_days: 3650, actor: 'worker', request_id } },
  {
    statement: 'expire-events',
    variant: 'a full batch',
    values: { kept_days: 1, ...fromTheOldest },
    prepare: `update events set event_datetime = now() - interval '2 days' where (client_id, event_number) in (
      select client_id, event_number from events order by transaction_id, client_id, event_number limit 1000)`,
    bound: 500 * 2 + 2 * 500 + 1, // An event is found and deleted; a client is locked and updated; one row of the feed.
    writes: ['clients', 'events', 'event_feed'],
  },
  {
    statement: 'expire-events',
    variant: 'nothing is due',
    values: { kept_days: 3650, ...fromTheOldest },
    atLeast: 0,
    bound: 520,
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
