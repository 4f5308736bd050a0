/**
 * What a client that knows only the contract may try: docs/reference/contract.md says how each point was decided.
 * The demo has no rate limit: demo.campaign.ts. Adjustments: request-adjustment.test.ts. JSON bodies: routes.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clientSideRoutes, type FeatureParts } from './app.ts'
import { readConfig } from './config.ts'
import { routeCases } from './route-cases.ts'
import { databaseDigest } from './testing/database-digest.ts'
import { addFixtures, address } from './testing/fixtures.ts'
import { filledCart, order } from './testing/orders.ts'
import { startService, type Answer, type RequestOptions, type TestService } from './testing/service.ts'
import { day, makeWorld, unknownId, type World } from './testing/world.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

const send = ({ me }: World, method: string, path: string, options: RequestOptions = {}): Promise<Answer> =>
  service.request(method, `/api/v1${path}`, { key: me.key, ...options })

const codeOf = ({ status, body }: Answer): unknown => [status, body.errors?.[0]?.code, body.errors?.[0]?.field]

test('an order can be rescheduled to a day up to ten years ahead', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  for (const ahead of [91, 365, 3650]) {
    const { body } = await send(world, 'PATCH', `/orders/${order_id}/`, { form: { shipping_date: day(ahead) } })
    assert.equal(body.data.order_shipping_datetime, `${day(ahead)} 00:00:00`)
  }
})

test('date_from and date_to take a time and honour it to the second, both ends inclusive', async () => {
  const world = await makeWorld(service)
  const placed: number[] = []
  for (const second of ['09:59:59.999999', '10:00:00', '10:00:00.999999', '10:00:01']) {
    const { order_id } = await order(world)
    await service.sql(
      `with o as (
         update orders set order_create_datetime = $2, order_update_datetime = $2 where order_id = $1
       )
       update order_items set order_create_datetime = $2 where order_id = $1`,
      [order_id, `2026-11-01 ${second}+00`],
    )
    placed.push(order_id)
  }
  const [before = 0, start = 0, end = 0, later = 0] = placed
  for (const [query, expected] of [
    ['date_from=2026-11-01 10:00:00', [later, end, start]],
    ['date_to=2026-11-01 10:00:00', [end, start, before]],
    ['date_from=2026-11-01 10:00:00&date_to=2026-11-01 10:00:00', [end, start]],
    ['date_from=2026-11-01 10:00:01', [later]],
    ['date_to=2026-11-01 09:59:59', [before]],
    ['date_from=2026-11-01&date_to=2026-11-01', [later, end, start, before]],
    ['date_from=2026-11-01 00:00:00&date_to=2026-11-01 23:59:59', [later, end, start, before]],
    ['date_from=2026-11-01 23:59:59', []],
    ['date_to=2026-11-01 00:00:00', []],
    ['date_to=2026-10-31', []],
    ['date_from=2026-11-01 10:00:01&state=new&sku_code=BN-280-V', [later]],
    ['date_to=9999-12-31', [later, end, start, before]],
  ] as const) {
    const { body } = await send(world, 'GET', `/orders/?${encodeURI(query)}`)
    assert.deepEqual(
      body.data.map(({ order_id }: { order_id: number }) => order_id),
      expected,
      query,
    )
  }
})

test('a shipping date with a time of day is refused with a sentence, and nothing changes; midnight is the day', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  const stored = await databaseDigest(service)
  const shipping_date = `${day(3)} 10:00:00`
  const { status, body } = await send(world, 'PATCH', `/orders/${order_id}/`, { form: { shipping_date } })
  assert.deepEqual(
    [status, body.errors],
    [
      400,
      [
        {
          code: 'field_invalid',
          message: `Invalid value '${shipping_date}' for 'shipping_date': it must be a calendar day as YYYY-MM-DD, without a time of day.`,
          field: 'shipping_date',
          details: { value: shipping_date, rule: 'a calendar day as YYYY-MM-DD, without a time of day' },
        },
      ],
    ],
  )
  assert.deepEqual(await databaseDigest(service), stored)
  const midnight = await send(world, 'PATCH', `/orders/${order_id}/`, { form: { shipping_date: `${day(3)} 00:00:00` } })
  assert.equal(midnight.body.data.order_shipping_datetime, `${day(3)} 00:00:00`)
})

test('spaces around any value are trimmed', async () => {
  const world = await makeWorld(service)
  const { cart_id } = await filledCart(world)
  const line = await send(world, 'PUT', `/carts/${cart_id}/items/`, {
    form: { item_id: ' 2', stock_id: '1 ', quantity: ' 3 ', for_advertising_budget: ' Spring  sale ' },
  })
  assert.deepEqual([line.status, line.body.data.quantity], [200, 3])
  const groups = (await send(world, 'GET', `/carts/${cart_id}/items/`)).body.data
  assert.deepEqual(
    groups.map(({ advertising }: { advertising: string }) => advertising),
    ['', 'Spring  sale'],
  )
  const { cart_group_key } = groups[0]
  const padded = Object.fromEntries(Object.entries(address).map(([name, value]) => [name, ` ${value}\u{A0}`]))
  const placed = await send(world, 'PUT', '/orders/', { form: { cart_group_key: ` ${cart_group_key} `, ...padded } })
  assert.equal(placed.status, 200, placed.text)
  const { created_order_id } = placed.body.data
  const repeated = await send(world, 'PUT', '/orders/', { form: { cart_group_key, ...address } })
  assert.equal(repeated.body.data.created_order_id, created_order_id)
  const moved = await send(world, 'PATCH', `/orders/${created_order_id}/`, { form: { shipping_date: ` ${day(3)} ` } })
  assert.equal(moved.body.data.order_shipping_datetime, `${day(3)} 00:00:00`)
  const listed = await send(world, 'GET', `/orders/?state=%20NEW%20&limit=+1+&date_from=%20${day(0)}`)
  assert.equal(listed.body.data.length, 1)
  assert.equal((await send(world, 'GET', `/orders/%20${created_order_id}%20/`)).status, 200)
})

test('a percent-encoded unreserved character in a path is the character', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  const encoded = String(order_id).replaceAll(/\d/g, (digit) => `%3${digit}`)
  const plain = await send(world, 'GET', `/orders/${order_id}/`)
  for (const path of [`/orders/${encoded}`, `/orders/${encoded}/`, `/%6Frders/${order_id}/`])
    assert.equal((await send(world, 'GET', path)).text, plain.text, path)
})

const routes = clientSideRoutes({ config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts)
for (const route of routes.filter(({ params }) => params !== undefined)) {
  const name = `${route.method} ${route.path}`
  test(`${name}: an integer that names nothing is 404, 0 and negative ones included; anything else is 400`, async () => {
    const world = await makeWorld(service)
    const made = await routeCases[name]?.success(world)
    assert(made)
    const { path: ownPath, data: _, ...request } = made
    const [path = '', search] = ownPath.split('?')
    const stored = await databaseDigest(service)
    for (const field of Object.keys(route.params ?? {})) {
      const at = (value: string): Promise<Answer> => {
        const segments = path.split('/')
        segments[route.path.split('/').indexOf(`{${field}}`)] = value
        const to = search === undefined ? segments.join('/') : `${segments.join('/')}?${search}`
        return service.request(route.method, to, { ...request, key: world.me.key })
      }
      const missing = codeOf(await at(String(unknownId)))
      assert.equal((missing as unknown[])[0], 404)
      for (const value of ['0', '-1', '-0', '9007199254740992', '99999999999999999999', '-99999999999999999999'])
        assert.deepEqual(codeOf(await at(value)), missing, value)
      for (const value of ['x', '1e3', '0x10', '1.0', '+1', '--1'])
        assert.deepEqual(codeOf(await at(value)), [400, 'field_invalid', field], value)
    }
    assert.deepEqual(await databaseDigest(service), stored)
  })
}

test('names of carts and budgets take 255 characters, of whatever width', async () => {
  const world = await makeWorld(service)
  for (const letter of ['x', 'ü', '\u{1F697}']) {
    const name = letter.repeat(255)
    const created = await send(world, 'PUT', '/carts/', { form: { name } })
    assert.deepEqual([created.status, created.body.data?.cart_name], [200, name])
    const { cart_id } = created.body.data
    const renamed = await send(world, 'PATCH', `/carts/${cart_id}/`, { form: { name } })
    assert.equal(renamed.body.data.cart_name, name)
    const line = { item_id: 1, stock_id: 1, quantity: 1, for_advertising_budget: name }
    assert.equal((await send(world, 'PUT', `/carts/${cart_id}/items/`, { form: line })).status, 200)
    const [group] = (await send(world, 'GET', `/carts/${cart_id}/items/`)).body.data
    assert.equal(group.advertising, name)
    const { cart_group_key } = group
    const { created_order_id } = (await send(world, 'PUT', '/orders/', { form: { cart_group_key, ...address } })).body
      .data
    assert.equal((await send(world, 'GET', `/orders/${created_order_id}/`)).body.data.order_advertising, name)
    const stored = await databaseDigest(service)
    const long = { ...line, for_advertising_budget: name + letter }
    assert.deepEqual(codeOf(await send(world, 'PUT', `/carts/${cart_id}/items/`, { form: long })), [
      400,
      'field_invalid',
      'for_advertising_budget',
    ])
    assert.deepEqual(codeOf(await send(world, 'PUT', '/carts/', { form: { name: name + letter } })), [
      400,
      'field_invalid',
      'name',
    ])
    assert.deepEqual(await databaseDigest(service), stored)
  }
})

test('a list has paging when the request names a page, or when there is a next one', async () => {
  const world = await makeWorld(service)
  for (let n = 0; n < 2; n++) await order(world)
  for (const [path, paging] of [
    ['/orders/', undefined],
    ['/orders/?state=new', undefined],
    ['/orders/?limit=2', { next_cursor: null }],
    ['/orders/?limit=', undefined],
  ] as const) {
    const { body } = await send(world, 'GET', path)
    assert.deepEqual(Object.keys(body), paging === undefined ? ['status', 'data'] : ['status', 'data', 'paging'], path)
    assert.deepEqual([body.data.length, body.paging], [2, paging], path)
  }
  const first = await send(world, 'GET', '/orders/?limit=1')
  const cursor = first.body.paging?.next_cursor
  assert.equal(first.headers.link, `</api/v1/orders/?limit=1&cursor=${cursor}>; rel="next"`)
  const last = await send(world, 'GET', `/orders/?cursor=${cursor}`)
  assert.deepEqual([last.body.data.length, last.body.paging, last.headers.link], [1, { next_cursor: null }, undefined])
  const { order_id, order_item_id } = await order(world)
  await service.sql(
    `insert into adjustments (client_id, order_id, order_item_id, quantity_before, quantity_wanted, adjustment_status,
       adjustment_canceled_message, decided_at)
     select $1, $2, $3, 3, 4, 'CANCELED', 'No.', now() from generate_series(1, 101)`,
    [world.me.client_id, order_id, order_item_id],
  )
  const more = await send(world, 'GET', `/orders/${order_id}/adjustments/`)
  assert.deepEqual([more.body.data.length, typeof more.body.paging?.next_cursor], [100, 'string'])
})
