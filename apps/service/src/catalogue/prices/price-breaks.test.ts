/** A line's unit price is that of its quantity, wherever it is shown and ordered. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, address, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addPackedItem } from '../../testing/stock.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- As Body.data.
type Shown = Record<string, any>

let service: TestService
let operators: Operators
let me: TestClient
let shop: ReturnType<typeof shopper>
const anyQuantity = { quantity_min: 1, quantity_multiple: 1 }

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  shop = shopper(service, me)
})
after(() => service.close())

const place = (cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })

test('each way to a line gives the price of its quantity, and the order has it', async () => {
  const item_id = await addPackedItem(service, anyQuantity)
  const cart_id = await shop.createCart()
  const items = `/api/v1/carts/${cart_id}/items/`
  const add = (quantity: number): Promise<Shown> => shop.ok('PUT', items, { item_id, stock_id: 1, quantity })
  const { cart_item_id, price } = await add(49)
  assert.equal(price, 10)
  const raised = await add(1)
  assert.deepEqual([raised.quantity, raised.price], [50, 9.5])
  for (const [quantity, each] of [
    [99, 9.5],
    [100, 8],
    [1_000_000, 8],
    [1, 10],
  ] as const) {
    const changed = await shop.ok('PATCH', `${items}${cart_item_id}/`, { quantity })
    const read = await shop.ok('GET', `${items}${cart_item_id}/`)
    const [listed] = await shop.ok('GET', items)
    assert.deepEqual(
      [changed.cart_item.price, read.cart_item.price, listed.cart_items[0].price],
      [each, each, each],
      String(quantity),
    )
  }
  const bulk = await service.request('PUT', `${items}bulk/?stock_id=1`, {
    key: me.key,
    json: { rows: [20, 29].map((quantity) => ({ item_id, quantity })) },
  })
  assert.deepEqual(
    bulk.body.data.rows.map((row: { price: number }) => row.price),
    [9.5, 9.5],
  )
  const [group] = await shop.ok('GET', `${items}?include=totals,net`)
  assert.deepEqual([group.totals.goods, group.cart_items[0].net.price], [475, 9.5])
  const { created_order_id } = (await place(group.cart_group_key)).body.data
  const [line] = await shop.ok('GET', `/api/v1/orders/${created_order_id}/items/`)
  assert.deepEqual([line.order_item_quantity, line.order_item_price], [50, 9.5])
  assert.equal((await shop.ok('GET', `/api/v1/orders/${created_order_id}/`)).order_total, 475)
  const again = await shop.ok('PUT', `/api/v1/carts/${await shop.createCart()}/items/from-order/`, {
    order_id: created_order_id,
  })
  assert.deepEqual([again.rows[0].price, again.rows[0].changes], [9.5, []])
  await service.checkInvariants()
})

test('a break that changes between showing and ordering refuses the order like a price; another break does not', async () => {
  const item_id = await addPackedItem(service, anyQuantity)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id, quantity: 60 })
  const key = await shop.groupKey(cart_id)
  const setBreaks = (prices: string): Promise<unknown> =>
    service.sql('update prices set break_prices = $2 where item_id = $1', [item_id, prices])
  await setBreaks('{9.6,8}')
  const refused = await place(key)
  const { code, details } = refused.body.errors[0] ?? {}
  assert.deepEqual([refused.status, code, details?.['changed']], [409, 'cart_group_changed', ['prices']])
  assert.deepEqual(details?.['cart_items'], [{ item_id, quantity: 60, price: 9.6 }])
  assert.equal(details?.['cart_group_key'], await shop.groupKey(cart_id))
  await setBreaks('{9.5,1}') // Not of this quantity.
  assert.equal((await place(key)).status, 200)
})

test('clients see breaks on request, and with the net price of each', async () => {
  const item_id = await addPackedItem(service, anyQuantity)
  const limited = me.limited_contract_id // 5% discount, tax added.
  const read = (query: string): Promise<Shown> => shop.ok('GET', `/api/v1/items/${item_id}/?${query}`)
  const plain = await read('')
  assert.deepEqual([plain.price, plain.price_breaks, plain.quantity_rules], [10, undefined, undefined])
  const shown = await read('include=price_breaks,quantity_rules')
  assert.deepEqual(shown.price_breaks, [
    { quantity: 50, price: 9.5 },
    { quantity: 100, price: 8 },
  ])
  assert.deepEqual([shown.quantity_rules, shown.net], [anyQuantity, undefined])
  const net = (price: number) => ({ price, discount_percent: 5, currency_code: 'EUR', tax_mode: 'added' })
  const both = await read(`include=price_breaks,net&contract_id=${limited}`)
  assert.deepEqual(both.net, net(9.5))
  assert.deepEqual(both.price_breaks, [
    { quantity: 50, price: 9.5, net: net(9.02) },
    { quantity: 100, price: 8, net: net(7.6) },
  ])
  const [listed] = await shop.ok(
    'GET',
    `/api/v1/items/?articles=PK-${item_id}&contract_id=${limited}&include=net,price_breaks,quantity_rules`,
  )
  const { matched_article: _, ...same } = listed
  assert.deepEqual(same, await read(`include=net,price_breaks,quantity_rules&contract_id=${limited}`))
  assert.deepEqual((await shop.ok('GET', '/api/v1/items/1/?include=price_breaks')).price_breaks, [])
})

test('operators set breaks with the price, and the change has both before and after', async () => {
  const item_id = await addPackedItem(service, anyQuantity)
  const path = `/operator/v1/price-lists/1/prices/${item_id}/`
  const put = (json: object): Promise<Answer> => service.request('PUT', path, { key: operators.keys.admin, json })
  const [was, now] = [
    [
      { quantity: 50, price: 9.5 },
      { quantity: 100, price: 8 },
    ],
    [{ quantity: 2, price: 9.9999 }],
  ]
  const changes = async (limit: number): Promise<unknown> =>
    (await operators.ok('GET', `/operator/v1/catalogue-changes/?limit=${limit}`)).map(
      ({ data }: { data: unknown }) => data,
    )
  assert.equal((await put({ price: 10 })).body.data.outcome, 'unchanged')
  assert.deepEqual((await put({ price: 11 })).body.data, {
    price_list_id: 1,
    item_id,
    price: 11,
    price_breaks: was,
    outcome: 'changed',
  })
  assert.equal((await put({ price: 11, price_breaks: now })).body.data.outcome, 'changed')
  assert.equal((await put({ price: 11, price_breaks: now })).body.data.outcome, 'unchanged')
  assert.deepEqual((await put({ price: 11, price_breaks: [] })).body.data.price_breaks, [])
  const change = { price_list_id: 1, item_id, price: 11, price_before: 11 }
  assert.deepEqual(await changes(3), [
    { ...change, price_breaks: [], price_breaks_before: now },
    { ...change, price_breaks: now, price_breaks_before: was },
    { ...change, price_before: 10, price_breaks: was, price_breaks_before: was },
  ])
  const far = await put({ price: 11, price_breaks: [{ quantity: 10, price: 0.95 }] })
  assert.deepEqual(
    [far.body.errors[0]?.code, far.body.errors[0]?.details],
    ['confirmation_required', { change: 'price', before: 11, after: 0.95 }],
  )
  assert.equal((await put({ price: 11, confirmed: true, price_breaks: [{ quantity: 10, price: 0.95 }] })).status, 200)
  const shown = await operators.ok('GET', `/operator/v1/items/${item_id}/`)
  assert.deepEqual(shown.prices[0].price_breaks, [{ quantity: 10, price: 0.95 }])
})

test('breaks that are not rising, too many or malformed are refused, and constraints are the last guard', async () => {
  const item_id = await addPackedItem(service, anyQuantity)
  const one = (quantity: unknown, price: unknown = 9) => ({ quantity, price })
  for (const price_breaks of [
    [one(1)],
    [one(1_000_001)],
    [one(50), one(50)],
    [one(50), one(10)],
    [one(10, -1)],
    [one(10, 1.23456)],
    [one('10')],
    [one(10, '9')],
    [one(2.5)],
    [{ quantity: 10 }],
    [{ price: 10 }],
    [{ ...one(10), colour: 'red' }],
    [[10, 9]],
    [null],
    Array.from({ length: 11 }, (_, n) => one(n + 2)),
    '10:9 50',
    { quantity: 10, price: 9 },
  ]) {
    const path = `/operator/v1/price-lists/1/prices/${item_id}/`
    const answer = await service.request('PUT', path, { key: operators.keys.admin, json: { price: 10, price_breaks } })
    assert.deepEqual(
      [answer.status, answer.body.errors.map(({ code, field }) => [code, field])],
      [400, [['field_invalid', 'price_breaks']]],
      JSON.stringify(price_breaks),
    )
  }
  for (const [quantities, prices] of [
    ['{1}', '{9}'],
    ['{1000001}', '{9}'],
    ['{50,50}', '{9,8}'],
    ['{50,10}', '{9,8}'],
    ['{10}', '{-1}'],
    ['{10,50}', '{9}'],
    ['{10}', null],
    [null, '{9}'],
    ['{}', '{}'],
    ['{10,null}', '{9,8}'],
    ['{10}', '{null}'],
    ['{10}', '[2:2]={9}'],
    ['{2,3,4,5,6,7,8,9,10,11,12}', '{9,9,9,9,9,9,9,9,9,9,9}'],
  ])
    await assert.rejects(
      service.sql('update prices set break_quantities = $2, break_prices = $3 where item_id = $1', [
        item_id,
        quantities,
        prices,
      ]),
      { constraint: 'prices_breaks' },
      `${quantities} ${prices}`,
    )
})

test('files set breaks too, say so beforehand, and can be undone; an export can be imported', async () => {
  const item_id = await addPackedItem(service, anyQuantity)
  const send = (body: string, type: string, query = ''): Promise<Answer> =>
    service.request('POST', `/operator/v1/imports/prices/${query}`, {
      key: operators.keys.cataloguer,
      body,
      headers: { 'content-type': type },
    })
  const csv = (cells: string, query = ''): Promise<Answer> =>
    send(`price_list_id,item_id,price,price_breaks\n1,${item_id},${cells}\n`, 'text/csv', query)
  const stored = async (): Promise<unknown> => {
    const [row] = await service.sql(
      'select price::float, break_quantities, break_prices::float[] from prices where item_id = $1',
      [item_id],
    )
    return [row?.['price'], row?.['break_quantities'], row?.['break_prices']]
  }
  const outcome = ({ body: { data }, text }: Answer): unknown =>
    data ? [data.rows_changed, data.rows_unchanged] : text
  assert.deepEqual(outcome(await csv('10,')), [0, 1]) // An empty cell leaves them.
  const dry = await csv('10,20:9.75 60:9', '?dry_run=true')
  assert.deepEqual(outcome(dry), [1, 0])
  assert.deepEqual(await stored(), [10, [50, 100], [9.5, 8]])
  const { import_id } = (await csv('10,20:9.75 60:9')).body.data
  assert.deepEqual(await stored(), [10, [20, 60], [9.75, 9]])
  for (const id of [dry.body.data.import_id, import_id]) {
    const [change] = await operators.ok('GET', `/operator/v1/imports/${id}/changes/`)
    assert.deepEqual(
      [change.before, change.after],
      [
        {
          price: 10,
          price_breaks: [
            { quantity: 50, price: 9.5 },
            { quantity: 100, price: 8 },
          ],
        },
        {
          price: 10,
          price_breaks: [
            { quantity: 20, price: 9.75 },
            { quantity: 60, price: 9 },
          ],
        },
      ],
    )
  }
  await operators.ok('POST', `/operator/v1/imports/${import_id}/undo/`)
  assert.deepEqual(await stored(), [10, [50, 100], [9.5, 8]])

  const later = (await csv('10,none')).body.data.import_id
  assert.deepEqual(await stored(), [10, null, null])
  const row = { price_list_id: 1, item_id, price: 10, price_breaks: [{ quantity: 5, price: 9.5 }] }
  assert.deepEqual(outcome(await send(JSON.stringify(row), 'application/x-ndjson')), [1, 0])
  const undone = await service.request('POST', `/operator/v1/imports/${later}/undo/`, { key: operators.keys.admin })
  assert.equal(undone.status, 409) // Its breaks have changed since.
  assert.deepEqual(await stored(), [10, [5], [9.5]])

  const exported = await service.request('GET', '/operator/v1/price-lists/1/prices/?limit=500', {
    key: operators.keys.viewer,
    headers: { accept: 'text/csv' },
  })
  const line = exported.text.split('\r\n').find((text) => text.startsWith(`${item_id},`)) ?? ''
  const cell = line.slice(line.indexOf('"['))
  assert.equal(cell, '"[{""quantity"":5,""price"":9.5}]"')
  assert.deepEqual(outcome(await csv(`10,${cell}`)), [0, 1])

  const bad = await csv('10,20:9 10:8')
  assert.equal(bad.body.errors[1]?.field, 'price_breaks')
  const comma = await csv('10,"20:9,75"')
  assert.equal(comma.body.errors[1]?.field, 'price_breaks')
})
