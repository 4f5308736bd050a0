/** What waits for another change sees it: in the terms of an order, in the events, and in what may be refused. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, address, shopper, type TestClient } from '../../testing/fixtures.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const send = (method: string, path: string, json?: object): Promise<Answer> =>
  service.request(method, `/operator/v1/${path}`, { key: operators.keys.admin, ...(json && { json }) })

const waiting = async (): Promise<number> =>
  Number(
    (
      await service.sql(
        `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    )[0]?.['count'],
  )

/** Sends the second request while the first waits for the client's row, and lets both go on. */
async function behind(
  { client_id }: TestClient,
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  const release = await holdRows(
    service.databaseUrl,
    `select from clients where client_id = ${client_id} for no key update`,
  )
  const one = first()
  await eventually(async () => (await waiting()) === 1)
  const other = second()
  await eventually(async () => (await waiting()) === 2)
  await release()
  const answers: [Answer, Answer] = [await one, await other]
  for (const { status, text } of answers) assert.equal(status, 200, text)
  return answers
}

const changeContract = ({ client_id, contract_id }: TestClient, terms: object): Promise<Answer> =>
  send('PATCH', `clients/${client_id}/contracts/${contract_id}/`, terms)

const orderFor = ({ client_id }: TestClient): Promise<Answer> =>
  send('POST', `clients/${client_id}/orders/`, { stock_id: 1, lines: [{ item_id: 1, quantity: 1 }], ...address })

test('an order that waits for a change of its contract has the new terms', async () => {
  const me = await addClient(service)
  const [, ordered] = await behind(
    me,
    () => changeContract(me, { tax_mode: 'included', tax_percent: 10 }),
    () => orderFor(me),
  )
  const [order] = await service.sql(
    `select o.tax_percent::float, e.event_type, e.event_number - c.event_number as after from orders o
     join events e using (client_id, order_id)
     join events c on c.client_id = o.client_id and c.event_type = 'contract.changed'
     where o.order_id = $1`,
    [ordered.body.data.created_order_id],
  )
  assert.deepEqual(order, { tax_percent: 10, event_type: 'order.created', after: '1' })
  await service.checkInvariants()
})

/** How each change of an order is requested. */
const changes: Record<string, (me: TestClient, order_id: number) => Promise<Answer>> = {
  hold: (_, order_id) => send('POST', `orders/${order_id}/hold/`, { reason: 'Payment is overdue.' }),
  note: (_, order_id) => send('POST', `orders/${order_id}/notes/`, { text: 'We call you.', internal: false }),
  move: (_, order_id) => send('POST', `orders/${order_id}/move/`, { state_id: 'processing' }),
  cancel: ({ key }, order_id) => service.request('DELETE', `/api/v1/orders/${order_id}/`, { key }),
}

for (const [name, change] of Object.entries(changes)) {
  test(`${name}: an event that waits for contract.changed shows the contract as it is then`, async () => {
    const me = await addClient(service)
    const order_id = (await orderFor(me)).body.data.created_order_id
    await behind(
      me,
      () => changeContract(me, { contract_limit: 500, contract_name: 'Renamed' }),
      () => change(me, order_id),
    )
    const events = await service.sql(
      `select event_type, data ->> 'contract_name' as contract_name, (data ->> 'contract_limit')::float as contract_limit
       from events where client_id = $1 order by event_number desc limit 2`,
      [me.client_id],
    )
    assert.deepEqual(
      events.map(({ contract_name, contract_limit }) => [contract_name, contract_limit]),
      [
        ['Renamed', 500],
        ['Renamed', 500],
      ],
    )
    assert.equal(events[1]?.['event_type'], 'contract.changed')
  })
}

test('a release that waits for the cancellation of the order changes nothing and is no error', async () => {
  const me = await addClient(service)
  const order_id = (await orderFor(me)).body.data.created_order_id
  await send('POST', `orders/${order_id}/hold/`, { reason: 'Payment is overdue.' })
  await service.request('DELETE', `/api/v1/orders/${order_id}/`, { key: me.key })
  const [, released] = await behind(
    me,
    () => send('POST', `orders/${order_id}/cancellation/accept/`),
    () => send('POST', `orders/${order_id}/release/`),
  )
  assert.deepEqual([released.body.data.order_state_id, released.body.data.hold_reason], ['canceled', null])
})

test('undoing a cancellation beyond the largest amount is refused with order_total_too_large, and nothing changes', async () => {
  await service.sql('update stock_levels set on_hand = 100000000')
  const me = await addClient(service)
  const order = async (): Promise<number> =>
    (
      await operators.ok('POST', `/operator/v1/clients/${me.client_id}/orders/`, {
        stock_id: 1,
        contract_id: me.special_contract_id,
        lines: [{ item_id: 2, quantity: 600_000 }],
        ...address,
      })
    ).created_order_id
  const order_id = await order()
  await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'canceled', text: 'A mistake.' })
  await order()
  const before_ = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  const undone = await send('POST', `orders/${order_id}/undo-cancellation/`, { reason: 'It was right.' })
  assert.deepEqual([undone.status, undone.body.errors[0]?.code], [409, 'order_total_too_large'])
  assert.deepEqual(await operators.ok('GET', `/operator/v1/orders/${order_id}/`), before_)
  await service.checkInvariants()
})

test('a count of stock queues with the orders of its item, and is not repeated', async () => {
  const shops = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const shop = shopper(service, await addClient(service))
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 3, quantity: 1 })
      return { shop, cart_id }
    }),
  )
  const level = 'stock_levels where stock_id = 1 and item_id = 3'
  const release = await holdRows(service.databaseUrl, `select from ${level} for update`)
  const orders = shops.map(({ shop, cart_id }) => shop.order(cart_id))
  await eventually(async () => (await waiting()) === 4)
  const counting = send('POST', 'stock-levels/1/3/count/', { on_hand: 1_000, reason: 'Counted.' })
  await eventually(async () => (await waiting()) === 5)
  const [queued] = await service.sql(
    `select count(*)::int as orders_and_count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
  )
  await release()
  await Promise.all(orders)
  assert.deepEqual([queued, (await counting).status], [{ orders_and_count: 4 }, 200])
  assert.deepEqual(await service.sql(`select on_hand::int, counts::int from ${level}`), [{ on_hand: 1_000, counts: 1 }])
  await service.checkInvariants()
})
