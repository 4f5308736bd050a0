/** Adds the objects that the examples of the API reference name: carts, orders, requests and webhook endpoints. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { endedIds, exampleIds } from '../vocabulary/example-ids.ts'
import { makeSecret } from '../webhooks/signature.ts'

type Send = (method: 'GET' | 'PUT' | 'PATCH', path: string, form?: Record<string, string | number>) => Promise<unknown>

const address = { zip: '10115', country_code: 'DE', region_code: 'DE-BE', city: 'Berlin', street: 'Torstrasse' }

/** Does nothing if there are orders already. `key` belongs to the client of the examples. */
export async function addExamples(client: pg.Client, baseUrl: string, key: string): Promise<void> {
  const { rows } = await client.query<{ used: boolean }>('select exists (select from orders) as used')
  if (rows[0]?.used !== false) return
  await drawExampleIds(client)
  const send = sender(baseUrl, key)
  const cart = await addCart(send, 'Workshop Monday')
  await addOrders(send, cart)
  await addReturns(client, send, cart)
  await add(send, cart, exampleIds.item_id)
  await add(send, cart, exampleIds.item_id + 1)
  await addCart(send, 'Old cart')
  await addGroupToOrder(client, send)
  for (const address_name of ['Workshop North', 'Old workshop'])
    await send('PUT', 'addresses/', { address_name, ...address, home: '1' })
  await addPausedWebhook(send, 'orders')
  await addPausedWebhook(send, 'old')
  await addKey(client)
  await addFeedEndpoints(client)
}

/** The ids then follow from the order of the requests. Four lines are ordered before the first that stays in a cart. */
async function drawExampleIds(client: pg.Client): Promise<void> {
  await client.query(`
    alter table carts alter column cart_id restart with ${exampleIds.cart_id};
    alter table cart_items alter column cart_item_id restart with ${exampleIds.cart_item_id - 4};
    alter table orders alter column order_id restart with ${exampleIds.order_id};
    alter table order_items alter column order_item_id restart with ${exampleIds.order_item_id};
    alter table adjustments alter column adjustment_id restart with ${exampleIds.adjustment_id};
    alter table return_requests alter column return_request_id restart with ${exampleIds.return_request_id};
    alter table webhooks alter column webhook_id restart with ${exampleIds.webhook_id};
    alter table feed_endpoints alter column endpoint_id restart with ${exampleIds.feed_endpoint_id};
    alter table addresses alter column address_id restart with ${exampleIds.address_id};
    alter sequence order_numbers restart with 100234`)
}

/** Two orders. The first has two lines, each with an open adjustment. */
async function addOrders(send: Send, cart_id: number): Promise<void> {
  await add(send, cart_id, exampleIds.item_id)
  await add(send, cart_id, exampleIds.item_id + 1)
  const order_id = await order(send, cart_id, 'PO-2026-0815')
  for (const line of [exampleIds.order_item_id, exampleIds.order_item_id + 1])
    await send('PATCH', `orders/${order_id}/items/${line}/`, { quantity: 1 })
  await add(send, cart_id, exampleIds.item_id)
  await order(send, cart_id, 'PO-2026-0816')
}

/** A shipped order, with two requests to return a piece of it. */
async function addReturns(client: pg.Client, send: Send, cart_id: number): Promise<void> {
  await add(send, cart_id, exampleIds.item_id)
  const order_id = await order(send, cart_id, 'PO-2026-0814')
  await client.query(
    `with o as (
       update orders set order_state_id = 'shipped', history_count = 2, order_shipped_datetime = now()
       where order_id = $1 returning client_id, order_id, stock_id
     ), h as (
       insert into order_history (client_id, order_id, entry, "group", state_id)
       select client_id, order_id, 2, 'Change of status', 'shipped' from o
     ), i as (
       update order_items set shipped_quantity = order_item_quantity where order_id = $1
       returning order_item_id, item_id, order_item_quantity as quantity
     ), l as (
       update stock_levels v set on_hand = on_hand - i.quantity, reserved = reserved - i.quantity
       from o, i where v.stock_id = o.stock_id and v.item_id = i.item_id
     ), p as (
       insert into shipments (client_id, order_id, entry, shipped_by) select client_id, order_id, 2, 'demo' from o
       returning client_id, order_id, shipment_id
     )
     insert into shipment_lines (client_id, order_id, shipment_id, order_item_id, quantity)
     select p.client_id, p.order_id, p.shipment_id, i.order_item_id, i.quantity from p, i`,
    [order_id],
  )
  const lines = JSON.stringify([{ order_item_id: endedIds.shipped_order_item_id, quantity: 1 }])
  for (const reason of ['Does not fit.', 'Ordered twice.'])
    await send('PUT', `orders/${order_id}/return-requests/`, { lines, reason })
}

/** Its key follows from the id of the group, the line, its price and the terms of the contract. */
async function addGroupToOrder(client: pg.Client, send: Send): Promise<void> {
  const group_id = Number.parseInt(endedIds.cart_group_key)
  await client.query(`alter table cart_groups alter column cart_group_id restart with ${group_id}`)
  await add(send, await addCart(send, 'Ready to order'), exampleIds.item_id)
}

const addCart = async (send: Send, name: string): Promise<number> =>
  ((await send('PUT', 'carts/', { name })) as { cart_id: number }).cart_id

async function add(send: Send, cart_id: number, item_id: number): Promise<void> {
  await send('PUT', `carts/${cart_id}/items/`, { item_id, stock_id: exampleIds.stock_id, quantity: 4 })
}

async function groupKey(send: Send, cart_id: number): Promise<string> {
  const [group] = (await send('GET', `carts/${cart_id}/items/`)) as { cart_group_key: string }[]
  assert(group)
  return group.cart_group_key
}

async function order(send: Send, cart_id: number, reference: string): Promise<number> {
  const cart_group_key = await groupKey(send, cart_id)
  const placed = await send('PUT', 'orders/', { cart_group_key, ...address, home: '1', reference })
  return (placed as { created_order_id: number }).created_order_id
}

/** Paused, so that the demo sends nothing to a host that does not exist. */
async function addPausedWebhook(send: Send, name: string): Promise<void> {
  const made = await send('PUT', 'webhooks/', { url: `https://dealer.example/hooks/${name}` })
  const { webhook_id } = made as { webhook_id: number }
  await send('PATCH', `webhooks/${webhook_id}/`, { active: 'false' })
}

/** Paused, as these. The second is to be deleted. */
async function addFeedEndpoints(client: pg.Client): Promise<void> {
  await client.query(`
    insert into feed_endpoints (url, secret, generation, after_transaction, after_client, after_number, paused_reason,
      paused_at)
    select 'https://erp.example/parts/' || n, '${makeSecret()}', 0, '0', 0, 0, 'operator', now()
    from generate_series(1, 2) n`)
}

/** A key that nobody has, to be revoked. */
async function addKey(client: pg.Client): Promise<void> {
  await client.query(`
    alter table api_keys alter column key_id restart with ${endedIds.key_id};
    insert into api_keys (client_id, contact_id, digest, scopes)
    values (${exampleIds.client_id}, ${exampleIds.contact_id}, sha256(gen_random_uuid()::text::bytea), '{orders:read}')`)
}

const attemptsMax = 10 // On a busy machine the first connections to PostgreSQL may time out.
const retryMs = 200

/** Each request is carried out once, even if it is repeated. */
function sender(baseUrl: string, key: string): Send {
  return async (method, path, form = {}) => {
    const fields = Object.entries(form).map(([name, value]) => [name, String(value)])
    const request = {
      method,
      headers: { authorization: key, 'idempotency-key': randomUUID() },
      ...(method === 'GET' ? {} : { body: new URLSearchParams(fields) }),
    }
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${baseUrl}/api/v1/${path}`, request)
      const { status, data, errors } = (await response.json()) as { status: string; data: unknown; errors?: unknown }
      if (status === 'ok') return data
      assert(response.status === 503 && attempt < attemptsMax, `${method} ${path}: ${JSON.stringify(errors)}`)
      await sleep(retryMs)
    }
  }
}
