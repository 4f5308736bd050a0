import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { metricValue } from '../testing/metrics.ts'
import { eventually } from '../testing/process.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators
const path = '/operator/v1/invariants/'

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const check = (): Promise<Answer> => service.request('GET', path, { key: operators.keys.admin })

const checksRun = (): Promise<number> =>
  metricValue('parts_statement_duration_seconds_count', { statement: 'invariants' })

/** Locks the stock levels against reading while `work` runs. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const other = new pg.Client({ connectionString: service.databaseUrl })
  await other.connect()
  try {
    await other.query('begin; lock table stock_levels in access exclusive mode')
    return await work()
  } finally {
    await other.end()
  }
}

test('each violation is reported, and of many violations of one invariant 20 and the number of the others', async () => {
  await service.sql(`insert into stock_levels (stock_id, item_id, on_hand, reserved, back_order)
    select 3, item_id, 0, item_id, true from items where item_id in (2, 3)`)
  const broken = [
    { invariant: 'I2 reserved is what open orders hold', violation: 'stock 3, item 2: reserved 2, held 0' },
    { invariant: 'I2 reserved is what open orders hold', violation: 'stock 3, item 3: reserved 3, held 0' },
  ]
  assert.deepEqual((await check()).body.data, broken)

  await service.sql(`with many as (
      insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale)
      select 100 + n, 11, 1, 'M-' || n, '', 'One of many', false from generate_series(1, 23) n returning item_id)
    insert into stock_levels (stock_id, item_id, on_hand, reserved, back_order) select 3, item_id, 0, 1, true from many`)
  const { data } = (await check()).body
  assert.equal(data.length, 21)
  assert.deepEqual(data.at(0), {
    invariant: 'I2 reserved is what open orders hold',
    violation: 'stock 3, item 101: reserved 1, held 0',
  })
  assert.deepEqual(data.at(-1), { invariant: 'I2 reserved is what open orders hold', violation: 'and 5 more' })

  await service.sql('delete from stock_levels where stock_id = 3 and item_id <> 1')
  assert.deepEqual((await check()).body.data, [])
})

test('requests during a check get its result, and a later request starts a new check', async () => {
  const before = await checksRun()
  let arrived = 0
  service.app.server.on('request', () => arrived++)
  const answers = await whileLocked(async () => {
    const requests = [check(), check(), check()]
    await eventually(async () => arrived === 3)
    // One that is answered after they arrived: by then they have been authenticated too, and wait for the check.
    await service.request('GET', '/operator/v1/operator-keys/', { key: operators.keys.admin })
    return requests
  })
  for (const { status, body } of await Promise.all(answers)) assert.deepEqual([status, body.data], [200, []])
  assert.equal(await checksRun(), before + 1)
  await check()
  assert.equal(await checksRun(), before + 2)
})

test('a response that takes longer than the idle timeout of connections still arrives', async () => {
  const { server } = service.app
  const kept = server.timeout
  server.timeout = 1_000
  try {
    const fresh = { connection: 'close' } // A connection takes the server's idle timeout when it opens.
    const slow = await whileLocked(async () => {
      const request = service.request('GET', path, { key: operators.keys.admin, headers: fresh })
      await sleep(3_000)
      return [request]
    })
    assert.deepEqual((await slow[0])?.body, { status: 'ok', data: [] })
    await assert.rejects(
      service.request('GET', '/operator/v1/events/?wait=10', { key: operators.keys.admin, headers: fresh }),
      /socket hang up/,
    )
  } finally {
    server.timeout = kept
  }
})

test('a row without the one it refers to is reported: no foreign key refuses it', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const { cart_group_id, cart_item_id } = (
    await service.sql('select cart_group_id, cart_item_id from cart_items where client_id = $1', [me.client_id])
  )[0] as { cart_group_id: string; cart_item_id: string }
  const ordered = await shop.createCart()
  await shop.add(ordered, { item_id: 2, quantity: 1 })
  const order_id = await shop.order(ordered)
  const mine = `client ${me.client_id}`
  const planted: [change: string, undo: string, violation: string][] = [
    [
      `update cart_groups set stock_id = 99 where cart_group_id = ${cart_group_id}`,
      `update cart_groups set stock_id = 1 where cart_group_id = ${cart_group_id}`,
      `${mine}, cart group ${cart_group_id}: stock 99, contract ${me.contract_id}`,
    ],
    [
      `update cart_groups set contract_id = 99 where cart_group_id = ${cart_group_id}`,
      `update cart_groups set contract_id = ${me.contract_id} where cart_group_id = ${cart_group_id}`,
      `${mine}, cart group ${cart_group_id}: stock 1, contract 99`,
    ],
    [
      `update cart_items set item_id = 99 where cart_item_id = ${cart_item_id}`,
      `update cart_items set item_id = 1 where cart_item_id = ${cart_item_id}`,
      `${mine}, cart item ${cart_item_id}: item 99`,
    ],
    [
      `update order_history set order_id = 99 where order_id = ${order_id}`,
      `update order_history set order_id = ${order_id} where order_id = 99`,
      `${mine}, order 99: 1 history entries of no order`,
    ],
    [
      `update order_items set order_id = 99 where order_id = ${order_id}`,
      `update order_items set order_id = ${order_id} where order_id = 99`,
      `${mine}, order 99: 1 lines of no order`,
    ],
    [
      `update events set order_id = 99 where order_id = ${order_id}`,
      `update events set order_id = ${order_id} where order_id = 99`,
      `${mine}, order 99: 1 events of no order`,
    ],
    [
      `update orders set stock_id = 99 where order_id = ${order_id}`,
      `update orders set stock_id = 1 where order_id = ${order_id}`,
      `${mine}, order ${order_id}: stock 99`,
    ],
  ]
  for (const [change, undo, violation] of planted) {
    await service.sql(change)
    const { data } = (await check()).body
    assert.deepEqual(
      data.filter(({ invariant }: { invariant: string }) => invariant.startsWith('I26')),
      [{ invariant: 'I26 no row refers to a missing one', violation }],
    )
    await service.sql(undo)
  }
  for (const column of ['contract_id', 'order_contact_id']) {
    const [was] = await service.sql(`select ${column} as id from orders where order_id = ${order_id}`)
    await service.sql(`update orders set ${column} = 99 where order_id = ${order_id}`)
    const { data } = (await check()).body
    assert(
      data.some(({ invariant }: { invariant: string }) => invariant === 'I8 no row refers across clients'),
      `${column}: ${JSON.stringify(data)}`,
    )
    await service.sql(`update orders set ${column} = $1 where order_id = ${order_id}`, [was?.['id']])
  }
})

test('an event number that is used twice is reported: no constraint spans both tables of events', async () => {
  const me = await addClient(service)
  const copy = `insert into events_before select * from only events where client_id = ${me.client_id}`
  await service.sql(copy)
  const reported = async (number: string): Promise<unknown[]> =>
    (await check()).body.data.filter(({ invariant }: { invariant: string }) => invariant.startsWith(number))
  assert.deepEqual(await reported('I27'), [
    { invariant: 'I27 an event number is used once', violation: `client ${me.client_id}, event 1` },
  ])
  await service.sql(`delete from only events where client_id = ${me.client_id}`)
  assert.deepEqual(await reported('I27'), [])
  assert.deepEqual(await reported('I7'), [])
})

test('an event before the first number of its client is reported unless it was set aside', async () => {
  const me = await addClient(service)
  await service.sql(`update clients set first_event_number = 2 where client_id = ${me.client_id}`)
  const { data } = (await check()).body
  assert.deepEqual(
    data.filter(({ invariant }: { invariant: string }) => /^I(7|28)/.test(invariant)),
    [
      {
        invariant: 'I28 what has expired was set aside',
        violation: `client ${me.client_id}: first 2, but 1 events before it`,
      },
    ],
  )
  await service.sql(`insert into events_before select * from only events where client_id = ${me.client_id}`)
  await service.sql(`delete from only events where client_id = ${me.client_id}`)
  assert.deepEqual(
    (await check()).body.data.filter(({ invariant }: { invariant: string }) => /^I(7|28)/.test(invariant)),
    [],
  )
})

test('an event with another contract than the one before it, and words of an erased contact, are violations', async () => {
  const me = await addClient(service)
  const contract = `/operator/v1/clients/${me.client_id}/contracts/${me.contract_id}/`
  await operators.ok('PATCH', contract, { contract_name: 'Renamed', contract_limit: 500 })
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  const found = async (): Promise<unknown[]> =>
    (await check()).body.data.filter(({ invariant }: { invariant: string }) => /^I(29|30)/.test(invariant))
  assert.deepEqual(await found(), [])
  const [event] = await service.sql(
    `update events set data = data || '{"contract_limit": 400}' where order_id = $1 returning event_number::int`,
    [order_id],
  )
  await operators.ok('POST', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`)
  assert.equal((await found()).length, 1)
  await service.sql(`update orders set comment = 'Call me.' where order_id = $1`, [order_id])
  const number = Number(event?.['event_number'])
  assert.deepEqual(await found(), [
    {
      invariant: 'I29 an event shows its contract as the events before it',
      violation: `client ${me.client_id}, event ${number}: Renamed 400, but event ${number - 1} has Renamed`,
    },
    {
      invariant: 'I30 an erasure leaves nothing in the words of the contact',
      violation: `client ${me.client_id}, order ${order_id}: order.created`,
    },
  ])
  await service.sql('update orders set comment = null where order_id = $1', [order_id])
  assert.equal((await found()).length, 1)
  await service.sql('delete from orders_to_erase where order_id = $1', [order_id]) // Its address would stay.
  assert.equal((await found()).length, 2)
})
