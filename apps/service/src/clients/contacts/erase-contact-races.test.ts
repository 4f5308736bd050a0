/** Whatever arrives while a contact is erased, nothing of it is left once its orders are done. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eraseAddresses } from './erase-addresses.ts'
import { issueClientKey } from '../../keys/issue-client-key.ts'
import { fieldsErased } from '../../orders/order-input.ts'
import { rowsWith } from '../../testing/database-digest.ts'
import { addFixtures, address, byTheTests, shopper } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import { countOutcomes, rounds } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let worlds: OperatorWorld[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  worlds = await Promise.all(Array.from({ length: 3 }, () => makeOperatorWorld(service, operators)))
})
after(() => service.close())

const personalFields = [...fieldsErased('at once'), ...fieldsErased('when done')].filter(
  (name) => name !== 'region_code',
)
const inputWith = (name: string): Record<string, string> => ({
  ...address,
  ...Object.fromEntries(personalFields.map((field) => [field, `${field} ${name}`])),
})

const send = (path: string, json: object, idempotencyKey?: string): Promise<Answer> =>
  service.request('POST', `/operator/v1/${path}`, {
    key: operators.keys.admin,
    json,
    headers: { ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
  })

const ordered = async (answer: Promise<Answer>): Promise<number> => {
  const { status, body, text } = await answer
  assert.equal(status, 200, text)
  return body.data.created_order_id
}

let created = 0

/** Everything that a contact and others may send about it, as functions, so that it can be sent twice. */
async function contactWithOrders({ me }: OperatorWorld, name: string) {
  const { client_id } = me
  const request = `create-${++created}` // The same for each repetition.
  const create = () => send(`clients/${client_id}/contacts/`, { contact_name: name }, request)
  const { contact_id } = (await create()).body.data
  const { key } = await issueClientKey(service.db, { client_id, contact_id, ...byTheTests })
  const shop = shopper(service, { key })
  const groupKey = async (): Promise<string> => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 2, quantity: 3 })
    return shop.groupKey(cart_id)
  }
  const place = (cart_group_key: string) =>
    service.request('PUT', '/api/v1/orders/', { key, form: { cart_group_key, ...inputWith(name) } })
  const placeFor = (cart_group_key: string) =>
    send(`clients/${client_id}/orders/from-cart/`, { cart_group_key, contact_id, ...inputWith(name) })

  const [early, late, fromCart] = [await groupKey(), await groupKey(), await groupKey()]
  const open = await ordered(place(early))
  const [line] = await shop.ok('GET', `/api/v1/orders/${open}/items/`)
  const shipped = await ordered(place(await groupKey()))
  const [goods] = await shop.ok('GET', `/api/v1/orders/${shipped}/items/`)
  for (const state_id of ['processing', 'fulfilling', 'shipped'])
    await operators.ok('POST', `/operator/v1/orders/${shipped}/move/`, { state_id })

  const onThePhone = { stock_id: 1, lines: [{ item_id: 2, quantity: 1 }], contact_id, ...inputWith(name) }
  return {
    contact_id,
    send: [
      create,
      () => place(early),
      () => place(late),
      () => placeFor(fromCart),
      () => send(`clients/${client_id}/orders/`, onThePhone, `phone-${contact_id}`),
      () => send(`orders/${open}/notes/`, { text: `${name} called.`, internal: true }, `note-${open}`),
      () => send(`orders/${shipped}/notes/`, { text: `Dear ${name}.`, internal: false }, `note-${shipped}`),
      () =>
        send(
          `orders/${shipped}/returns/`,
          {
            lines: [{ order_item_id: goods.order_item_id, quantity: 1 }],
            reason: `${name} did not like it.`,
            restock: true,
          },
          `return-${shipped}`,
        ),
      () =>
        service.request('PATCH', `/api/v1/orders/${open}/items/${line.order_item_id}/`, {
          key,
          form: { quantity: 2, reason: `${name} miscounted.` },
        }),
      () =>
        service.request('POST', '/operator/v1/imports/stock-levels/', {
          key: operators.keys.admin,
          body: '{"stock_id":3,"item_id":1,"on_hand":20}\n',
          headers: { 'content-type': 'application/x-ndjson' },
        }),
    ],
  }
}

/** All orders of the contact are done, and the worker looks at them, in several processes at once. */
async function finish(contact_id: number): Promise<void> {
  const open = await service.sql(
    `select order_id from orders where order_contact_id = $1 and order_state_id in ('new', 'processing')`,
    [contact_id],
  )
  for (const { order_id } of open)
    await operators.ok('POST', `/operator/v1/orders/${String(order_id)}/move/`, { state_id: 'canceled', text: 'Over.' })
  const listed = 'from orders o where o.order_contact_id = $1 and t.order_id = o.order_id'
  await service.sql(`update orders_to_erase t set look_at = now() ${listed}`, [contact_id])
  await eventually(async () => {
    // Some of them may be in a batch that another round has begun.
    await Promise.all([1, 2].map(() => Array.fromAsync(eraseAddresses(service.db, { after_days: 0 }))))
    const due = `select from orders_to_erase t where t.look_at <= now() and exists (select ${listed})`
    return (await service.sql(due, [contact_id])).length === 0
  })
}

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)

let people = 0

test('orders, notes, returns, requests, imports and repetitions that race an erasure bring nothing back', async () => {
  await countOutcomes(rounds(120), worlds, async (world) => {
    const [name, other] = [`xaveria${++people}x`, `yolanda${people}x`]
    const [mine, others] = [await contactWithOrders(world, name), await contactWithOrders(world, other)]
    const erase = (): Promise<Answer> => send(`clients/${world.me.client_id}/contacts/${mine.contact_id}/erase/`, {})
    const work = (): Promise<unknown> => Array.fromAsync(eraseAddresses(service.db, { after_days: 0 }))
    const answers = await Promise.all(shuffled([...mine.send, ...others.send, erase, work]).map((request) => request()))
    for (const answer of answers as (Answer | unknown[])[])
      if (!Array.isArray(answer)) assert([200, 401].includes(answer.status), answer.text)
    await finish(mine.contact_id)
    assert.deepEqual(await rowsWith(service, new RegExp(name, 'i')), [])
    const kept = await service.sql(
      `select count(*)::integer as orders from orders
       where order_contact_id = $1 and street = $2 and comment = $3 and reference = $4`,
      [others.contact_id, ...['street', 'comment', 'reference'].map((field) => `${field} ${other}`)],
    )
    assert.deepEqual(kept, [{ orders: 5 }])

    // Afterwards, what was sent is sent again.
    const again = await Promise.all(mine.send.map((request) => request()))
    for (const { text } of again) assert(!text.toLowerCase().includes(name), text)
    await finish(mine.contact_id)
    assert.deepEqual(await rowsWith(service, new RegExp(name, 'i')), [], 'It came back.')
    return 'done'
  })
  await service.checkInvariants()
})
