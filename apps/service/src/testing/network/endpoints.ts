/** Webhook endpoints and events, inserted directly or made over the API. */
import type { TestService } from '../service.ts'
import type { World } from '../world.ts'
import { makeSecret } from '../../webhooks/signature.ts'

/** Adds $2 events of type $3 for client $1. */
export const happenSql = `with numbered as (
    update clients
    set event_number = event_number + $2, event_transaction = greatest(event_transaction, event_position(pg_current_xact_id()))
    where client_id = $1 returning client_id, event_number, event_transaction)
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select event_transaction, client_id, event_number - $2 + n, $3, jsonb_build_object('n', n), 'the tests', 'test'
  from numbered, generate_series(1, $2) n`

export interface TestEndpoint {
  readonly client_id: number
  readonly webhook_id: number
}

/** New clients with `each` endpoints at one URL, with `events` events not yet delivered. */
export async function makeEndpoints(
  { sql }: Pick<TestService, 'sql'>,
  { url, clients = 1, each = 1, events = 0 }: { url: string; clients?: number; each?: number; events?: number },
): Promise<TestEndpoint[]> {
  const rows = await sql(
    `with client as (
       insert into clients (client_name, webhook_count, event_number)
       select 'Dealer ' || n, $2::integer, $5::integer from generate_series(1, $1::integer) n
       returning client_id
     ), event as (
       insert into events (client_id, event_number, event_type, data, actor, request_id)
       select client_id, n, 'cart.marked', '{}', 'the tests', 'test' from client, generate_series(1, $5::integer) n
     )
     insert into webhooks (client_id, url, secret, delivered_event_number)
     select client_id, $3, $4, 0 from client, generate_series(1, $2::integer)
     returning client_id::integer, webhook_id::integer`,
    [clients, each, url, makeSecret(), events],
  )
  return rows as unknown as TestEndpoint[]
}

export const webhookUrl = 'https://dealer.example/hooks/orders'

/** Creates an endpoint over the API. */
export async function webhook({ shop }: World): Promise<number> {
  return (await shop.ok('PUT', '/api/v1/webhooks/', { url: webhookUrl })).webhook_id as number
}
