import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let me: TestClient
let shop: ReturnType<typeof shopper>
const placed: { order_id: number; day: string; state: string; item: number; reference: string | null }[] = []

before(async () => {
  service = await startService({ settings: { SERVICE_TIME_ZONE: 'Asia/Vladivostok', STATE_LABELS: '{"new":"Neu"}' } })
  await addFixtures(service)
  me = await addClient(service)
  shop = shopper(service, me)
  const cart_id = await shop.createCart()
  for (let i = 0; i < 12; i++) {
    const item = [1, 3, 2][i % 3] ?? 1
    await shop.add(cart_id, { item_id: item, quantity: 1 })
    if (i === 5) await shop.add(cart_id, { item_id: 1, quantity: 1 })
    const order_id = await shop.order(cart_id)
    // Two orders a day, in the first and the last second of the day in Vladivostok, UTC+10.
    const day = Temporal.PlainDate.from('2026-03-28')
      .add({ days: Math.floor(i / 2) })
      .toString()
    const instant = `${day} ${i % 2 === 0 ? '00:00:00' : '23:59:59.999999'} Asia/Vladivostok`
    const state = i % 4 === 0 ? 'processing' : i % 7 === 3 ? 'shipped' : 'new'
    const reference = i % 5 === 0 ? 'PO-7' : i % 5 === 1 ? `PO-7/${i}` : null
    await service.sql(
      'update orders set order_create_datetime = $2, order_state_id = $3, reference = $4 where order_id = $1',
      [order_id, instant, state, reference],
    )
    await service.sql('update order_items set order_create_datetime = $2 where order_id = $1', [order_id, instant])
    await service.sql('update order_history set state_id = $2 where order_id = $1', [order_id, state])
    placed.unshift({ order_id, day, state, item, reference })
  }
})
after(() => service.close())

async function list(query: Record<string, string>): Promise<number[]> {
  const orders = await shop.ok('GET', `/api/v1/orders/?${new URLSearchParams(query).toString()}`)
  return orders.map(({ order_id }: { order_id: number }) => order_id)
}

const expected = (fits: (order: (typeof placed)[number]) => boolean): number[] =>
  placed.filter(fits).map(({ order_id }) => order_id)

test('orders are listed newest first, with times in the service time zone and configured labels', async () => {
  const orders = await shop.ok('GET', '/api/v1/orders')
  assert.deepEqual(
    orders.map(({ order_id }: { order_id: number }) => order_id),
    expected(() => true),
  )
  assert.equal(orders[0].order_create_datetime, '2026-04-02 23:59:59')
  assert.equal(orders[1].order_create_datetime, '2026-04-02 00:00:00')
  assert.equal(orders[0].order_history[0].value, 'Neu')
})

test('date filters are inclusive and use days of the service time zone', async () => {
  assert.deepEqual(
    await list({ date_from: '2026-03-30' }),
    expected(({ day }) => day >= '2026-03-30'),
  )
  assert.deepEqual(
    await list({ date_to: '2026-03-30' }),
    expected(({ day }) => day <= '2026-03-30'),
  )
  assert.deepEqual(
    await list({ date_from: '2026-03-30', date_to: '2026-03-30' }),
    expected(({ day }) => day === '2026-03-30'),
  )
  assert.deepEqual(await list({ date_from: '2026-03-31', date_to: '2026-03-30' }), [])
  assert.deepEqual(
    await list({ date_from: '0001-01-01', date_to: '9999-12-31' }),
    expected(() => true),
  )
})

test('state and article filters work alone and together; the article ignores case, Cyrillic included', async () => {
  assert.deepEqual(
    await list({ state: 'processing' }),
    expected(({ state }) => state === 'processing'),
  )
  assert.deepEqual(
    await list({ state: 'PROCESSING, shipped,processing' }),
    expected(({ state }) => state !== 'new'),
  )
  assert.deepEqual(
    await list({ sku_code: 'жk-7' }),
    expected(({ item }) => item === 3),
  )
  assert.deepEqual(
    await list({ sku_code: 'ЖK-7', state: 'new', date_from: '2026-03-30' }),
    expected(({ item, state, day }) => item === 3 && state === 'new' && day >= '2026-03-30'),
  )
  assert.deepEqual(
    await list({ sku_code: 'ЖK-7', state: 'new,shipped' }),
    expected(({ item, state }) => item === 3 && state !== 'processing'),
  )
  assert.deepEqual(await list({ sku_code: 'жk' }), [])
})

test('an unknown state is refused and the known ones are named: an empty list would look like a quiet day', async () => {
  for (const state of ['nonsense', 'new,nonsense', 'new,', ',', 'new;shipped', 'neu']) {
    const answer = await service.request('GET', `/api/v1/orders/?state=${encodeURIComponent(state)}`, { key: me.key })
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [400, 'field_invalid'], state)
    assert.deepEqual(answer.body.errors[0]?.details, {
      value: state,
      rule: 'one or more of new, processing, fulfilling, shipped, completed, zayavka-na-otmen, canceled, separated by commas',
    })
  }
})

test('the reference filter matches exactly, alone and with the other filters', async () => {
  assert.deepEqual(
    await list({ reference: 'PO-7' }),
    expected(({ reference }) => reference === 'PO-7'),
  )
  assert.equal((await list({ reference: 'PO-7/6' })).length, 1)
  for (const reference of ['po-7', 'PO-', 'PO-7%', 'PO-8']) assert.deepEqual(await list({ reference }), [], reference)
  for (const state of ['new', 'processing,shipped'])
    for (const sku_code of ['fw-2', 'ЖK-7', 'BN-280-V'])
      for (const date_from of ['2026-03-28', '2026-03-31'])
        assert.deepEqual(
          await list({ reference: 'PO-7', state, sku_code, date_from }),
          (await list({ state, sku_code, date_from })).filter((id) =>
            placed.some((order) => order.order_id === id && order.reference === 'PO-7'),
          ),
        )
})

test('a dropped line does not match the article filter and is not listed; an order without lines has an empty list', async () => {
  const order_id = placed.find(({ item }) => item === 3)?.order_id ?? 0
  const items = (): Promise<unknown[]> => shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  const before_ = await list({ sku_code: 'ЖK-7' })
  assert.equal((await items()).length, 1)
  await service.sql('update order_items set order_item_quantity = 0 where order_id = $1', [order_id])
  assert.deepEqual(
    await list({ sku_code: 'ЖK-7' }),
    before_.filter((id) => id !== order_id),
  )
  assert.deepEqual(await items(), [])
  assert.deepEqual((await shop.ok('GET', `/api/v1/orders/${order_id}/?include=items`)).items, [])
  await service.sql('update order_items set order_item_quantity = 1 where order_id = $1', [order_id])
})

test('pages have no gap or overlap for any filter, even while orders arrive', async () => {
  for (const filter of [
    {},
    { state: 'new' },
    { state: 'processing,shipped' },
    { reference: 'PO-7' },
    { sku_code: 'fw-2' },
    { date_from: '2026-03-29', date_to: '2026-04-01' },
    { include: 'items,actions' },
    { include: 'address', state: 'new,processing' },
  ] as Record<string, string>[]) {
    const whole = await list(filter)
    assert(whole.length >= 2)
    for (const limit of [1, 2, 3, 5]) {
      const seen: number[] = []
      let path: string | undefined =
        `/api/v1/orders/?${new URLSearchParams({ ...filter, limit: String(limit) }).toString()}`
      while (path !== undefined) {
        const page = await service.request('GET', path, { key: me.key })
        assert.equal(page.status, 200, page.text)
        assert(page.body.data.length <= limit)
        seen.push(...page.body.data.map(({ order_id }: { order_id: number }) => order_id))
        const link = /^<(.+)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1]
        assert.equal(link === undefined, (page.body.paging?.next_cursor ?? null) === null)
        if (link !== undefined && seen.length === limit) {
          // An order that arrives now belongs before the first page.
          const cart_id = await shop.createCart()
          await shop.add(cart_id, { item_id: 2, quantity: 1 })
          await shop.order(cart_id)
        }
        path = link
      }
      const arrived = new Set(whole)
      assert.deepEqual(
        seen.filter((id) => arrived.has(id)),
        whole,
      )
      assert.equal(new Set(seen).size, seen.length)
      await forgetLateOrders()
    }
  }
})

/** The service never deletes orders; the test deletes its own to keep the expected values simple. */
async function forgetLateOrders(): Promise<void> {
  const late = 'select order_id from orders where order_archive_datetime is not null'
  for (const table of ['events', 'order_history', 'order_items'])
    await service.sql(`delete from ${table} where order_id in (${late})`)
  await service.sql('delete from orders where order_archive_datetime is not null')
}

test('a cursor is refused with other filters and for another client, naming the field', async () => {
  const page = await service.request('GET', '/api/v1/orders/?limit=2&state=new', { key: me.key })
  const cursor = page.body.paging?.next_cursor ?? ''
  for (const query of [`cursor=${cursor}`, `cursor=${cursor}x&state=new`, 'cursor=MTIz', 'cursor=%F0%9F%98%80']) {
    const answer = await service.request('GET', `/api/v1/orders/?${query}`, { key: me.key })
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'cursor'], query)
  }
  const other = await addClient(service)
  const foreign = await service.request('GET', `/api/v1/orders/?limit=2&state=new&cursor=${cursor}`, { key: other.key })
  assert.deepEqual([foreign.status, foreign.body.errors[0]?.field], [400, 'cursor'])
})
