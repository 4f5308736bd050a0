/** An item with a smallest quantity or in packs is ordered in allowed quantities only, by clients and for clients. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, address, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addPackedItem, fresh, packRules } from '../../testing/stock.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- As Body.data.
type Shown = Record<string, any>

let service: TestService
let operators: Operators
let me: TestClient
let shop: ReturnType<typeof shopper>

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  shop = shopper(service, me)
})
after(() => service.close())

const send = (method: string, path: string, form: Record<string, string | number>): Promise<Answer> =>
  service.request(method, `/api/v1/${path}`, { key: me.key, form })

const refusalOf = ({ status, body }: Answer): unknown[] => [status, body.errors[0]?.code, body.errors[0]?.details]

const refused = (item_id: number, quantity: number, next_quantity: number, rules: object = packRules): unknown[] => [
  409,
  'quantity_not_allowed',
  { item_id, quantity, next_quantity, ...rules },
]

const setRules = (item_id: number, quantity_min: number, quantity_multiple: number): Promise<unknown> =>
  service.sql('update items set quantity_min = $2, quantity_multiple = $3 where item_id = $1', [
    item_id,
    quantity_min,
    quantity_multiple,
  ])

const linesOf = (cart_id: number): Promise<unknown> =>
  service.sql(
    `select l.item_id::integer as item_id, l.quantity, g.version from cart_groups g
     left join cart_items l using (client_id, cart_group_id)
     where g.cart_id = $1 order by 1`,
    [cart_id],
  )

test('the next quantity is the smallest allowed one from the quantity on, or the largest of a line', async () => {
  const of = async (quantity: number, min: number, multiple: number): Promise<unknown> =>
    (await service.sql('select next_quantity($1, $2, $3) as n', [quantity, min, multiple]))[0]?.['n']
  for (const [quantity, min, multiple, next] of [
    [1, 1, 1, 1],
    [1_000_000, 1, 1, 1_000_000],
    [1, 20, 1, 20],
    [21, 20, 1, 21],
    [1, 1, 12, 12],
    [13, 1, 12, 24],
    [24, 1, 12, 24],
    [1, 25, 10, 30],
    [999_991, 1, 30, 999_990], // 1,000,020 would be too many for a line.
    [1, 500_000, 499_999, 999_998],
  ] as const)
    assert.equal(await of(quantity, min, multiple), next, `${quantity}, ${min}, ${multiple}`)
})

test('a line is added, raised and changed in allowed quantities; a refusal says the next one and changes nothing', async () => {
  const item_id = await addPackedItem(service)
  const cart_id = await shop.createCart()
  const items = `carts/${cart_id}/items/`
  const add = (quantity: number): Promise<Answer> => send('PUT', items, { item_id, stock_id: 1, quantity })
  assert.deepEqual(refusalOf(await add(1)), refused(item_id, 1, 20))
  assert.deepEqual(refusalOf(await add(25)), refused(item_id, 25, 30))
  assert.deepEqual(await linesOf(cart_id), [])
  const line = (await add(20)).body.data.cart_item_id as number
  const before_ = await linesOf(cart_id)
  assert.deepEqual(refusalOf(await add(5)), refused(item_id, 25, 30))
  assert.deepEqual(refusalOf(await send('PATCH', `${items}${line}/`, { quantity: 10 })), refused(item_id, 10, 20))
  assert.deepEqual(refusalOf(await send('PATCH', `${items}${line}/`, { quantity: 31 })), refused(item_id, 31, 40))
  assert.deepEqual(await linesOf(cart_id), before_)
  assert.equal((await add(10)).body.data.quantity, 30) // Less than the minimum, but the line has 30.
  assert.equal((await send('PATCH', `${items}${line}/`, { quantity: 50 })).body.data.cart_item.quantity, 50)
})

test('rows are judged by the line that they make, with and without a dry run', async () => {
  const [packed, single] = [await addPackedItem(service), 2]
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: packed, quantity: 20 })
  const rowsOf = async (query: string, rows: object[]): Promise<unknown[]> => {
    const path = `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1${query}`
    const { body, status } = await service.request('PUT', path, { key: me.key, json: { rows } })
    assert.equal(status, 200)
    return body.data.rows.map(({ outcome, cart_quantity, errors }: Shown) =>
      errors === undefined ? [outcome, cart_quantity] : [errors[0].code, errors[0].field, errors[0].details],
    )
  }
  const misfit = (quantity: number, next: number): unknown[] => [
    'quantity_not_allowed',
    'quantity',
    { item_id: packed, quantity, next_quantity: next, ...packRules },
  ]
  const rows = [
    { item_id: packed, quantity: 3 },
    { item_id: single, quantity: 1 },
    { item_id: packed, quantity: 4 },
  ]
  assert.deepEqual(await rowsOf('&dry_run=true', rows), [misfit(27, 30), ['possible', undefined], misfit(27, 30)])
  assert.deepEqual(await rowsOf('', rows), [misfit(27, 30), ['added', 1], misfit(27, 30)])
  const fitting = rows.map(({ item_id }, at) => ({ item_id, quantity: 3 + 4 * Number(at === 2) }))
  assert.deepEqual(await rowsOf('', fitting), [
    ['added', 30],
    ['added', 4],
    ['added', 30],
  ])
  const group = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.deepEqual(
    group[0].cart_items.map(({ quantity }: { quantity: number }) => quantity),
    [30, 4],
  )
})

test('an order again is refused line by line', async () => {
  const item_id = await addPackedItem(service, { quantity_min: 1, quantity_multiple: 1 })
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id, quantity: 7 })
  const order_id = await shop.order(cart_id)
  await setRules(item_id, 20, 10)
  const { rows } = await shop.ok('PUT', `/api/v1/carts/${await shop.createCart()}/items/from-order/`, { order_id })
  assert.deepEqual(
    [rows[0].changes, rows[0].errors[0].code, rows[0].errors[0].details.next_quantity],
    [['gone'], 'quantity_not_allowed', 20],
  )
})

test('rules that change between showing and ordering refuse the order, one error for each line', async () => {
  const [one, two] = [await addPackedItem(service), await addPackedItem(service)]
  const cart_id = await shop.createCart()
  for (const item_id of [one, two]) await shop.add(cart_id, { item_id, quantity: 20 })
  const order = { cart_group_key: await shop.groupKey(cart_id), ...address }
  await setRules(one, 1, 12)
  await setRules(two, 21, 1)
  const before_ = await linesOf(cart_id)
  const answer = await send('PUT', 'orders/', order)
  assert.equal(answer.status, 409)
  assert.deepEqual(
    answer.body.errors.map(({ code, details }) => [code, details]),
    [
      [
        'quantity_not_allowed',
        { item_id: one, quantity: 20, next_quantity: 24, quantity_min: 1, quantity_multiple: 12 },
      ],
      [
        'quantity_not_allowed',
        { item_id: two, quantity: 20, next_quantity: 21, quantity_min: 21, quantity_multiple: 1 },
      ],
    ],
  )
  assert.deepEqual(await linesOf(cart_id), before_)
  const [shown] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/?include=totals,quantity_rules`)
  assert.deepEqual(
    shown.cart_items.map(({ quantity_rules, availability }: Shown) => [quantity_rules, availability.refusals]),
    [
      [{ quantity_min: 1, quantity_multiple: 12 }, ['quantity_not_allowed']],
      [{ quantity_min: 21, quantity_multiple: 1 }, ['quantity_not_allowed']],
    ],
  )
  await setRules(one, 1, 10)
  await setRules(two, 1, 1)
  assert.equal((await send('PUT', 'orders/', order)).status, 200) // With the same key: it covers lines and prices.
})

test('an adjustment is not refused by the rules; the inbox marks it, and it keeps the unit price', async () => {
  const item_id = await addPackedItem(service)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id, quantity: 100 })
  const order_id = await shop.order(cart_id)
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  assert.equal(line.order_item_price, 8)
  const adjust = (quantity: number): Promise<{ adjustment_id: number }> =>
    shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity })
  const marked = async (): Promise<unknown[]> =>
    (await operators.ok('GET', '/operator/v1/inbox/?limit=500'))
      .filter((entry: { order_id: number }) => entry.order_id === order_id)
      .flatMap(({ items }: { items: { quantity_after: number; quantity_allowed: boolean }[] }) =>
        items.map(({ quantity_after, quantity_allowed }) => [quantity_after, quantity_allowed]),
      )
  for (const [quantity, allowed] of [
    [30, true],
    [0, true],
    [7, false],
  ] as const) {
    await adjust(quantity)
    assert.deepEqual(await marked(), [[quantity, allowed]])
  }
  const { adjustment_id } = await adjust(7)
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`, { confirmed: true })
  const [adjusted] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  assert.deepEqual([adjusted.order_item_quantity, adjusted.order_item_price], [7, 8])
  assert.equal((await shop.ok('GET', `/api/v1/orders/${order_id}/`)).order_total, 56)
  await service.checkInvariants()
})

test('an order for a client follows the rules; a line that an operator adds to an order does not', async () => {
  const item_id = await addPackedItem(service)
  const path = `/operator/v1/clients/${me.client_id}/orders/`
  const phoned = (quantity: number) => ({ stock_id: 1, lines: [{ item_id, quantity }], ...address })
  const answer = await service.request('POST', path, { key: operators.keys.decider, json: phoned(15) })
  assert.deepEqual(refusalOf(answer), refused(item_id, 15, 20))
  const placed = await operators.ok('POST', path, phoned(60))
  assert.deepEqual([placed.lines[0].price, placed.goods], [9.5, 570])

  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  const added = await operators.ok('POST', `/operator/v1/orders/${order_id}/items/`, {
    item_id,
    quantity: 53,
    reason: 'The rest of the box.',
  })
  assert.deepEqual([added.quantity_after, added.order_item_price], [53, 9.5])
})

test('operators set the rules of an item, and the change has the values before', async () => {
  const item_id = fresh()
  const item = {
    item_vendor_code: `QR-${item_id}`,
    item_barcode: '4006381333931',
    item_title: 'Gasket',
    brand_name: 'Filterwerk',
    product_id: 12,
  }
  const put = (change: object): Promise<{ outcome: string }> =>
    operators.ok('PUT', `/operator/v1/items/${item_id}/`, { ...item, ...change })
  const newest = async (): Promise<unknown> => {
    const [{ data }] = await operators.ok('GET', '/operator/v1/catalogue-changes/?limit=1')
    const rulesIn = (of: Record<string, unknown> | null) => of && [of['quantity_min'], of['quantity_multiple']]
    return [rulesIn(data), rulesIn(data.before)]
  }
  await put({ quantity_multiple: 6 })
  assert.deepEqual(await newest(), [[1, 6], null])
  assert.equal((await put({})).outcome, 'unchanged') // Absent ones stay.
  await put({ quantity_min: 12 })
  assert.deepEqual(await newest(), [
    [12, 6],
    [1, 6],
  ])
  const shown = await operators.ok('GET', `/operator/v1/items/${item_id}/`)
  assert.deepEqual([shown.quantity_min, shown.quantity_multiple], [12, 6])
  for (const quantity_min of [0, 500_001]) {
    const answer = await service.request('PUT', `/operator/v1/items/${item_id}/`, {
      key: operators.keys.admin,
      json: { ...item, quantity_min },
    })
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'quantity_min'])
  }
  const wrong = service.sql('update items set quantity_multiple = 0 where item_id = $1', [item_id])
  await assert.rejects(wrong, { constraint: 'items_quantity_rules' })
})

test('files set the rules too, say so beforehand, and can be undone', async () => {
  const item_id = fresh()
  const head = 'item_id,item_vendor_code,item_barcode,item_title,brand_name,product_id,quantity_min,quantity_multiple'
  const csv = (rules: string, query = ''): Promise<Answer> =>
    service.request('POST', `/operator/v1/imports/items/${query}`, {
      key: operators.keys.cataloguer,
      body: `${head}\n${item_id},QI-1,1,Ring,Filterwerk,12,${rules}\n`,
      headers: { 'content-type': 'text/csv' },
    })
  const rules = async (): Promise<unknown> =>
    (await service.sql('select quantity_min, quantity_multiple from items where item_id = $1', [item_id]))[0]
  assert.equal((await csv('4,2')).status, 200)
  assert.deepEqual(await rules(), { quantity_min: 4, quantity_multiple: 2 })
  assert.equal((await csv(',')).body.data.rows_unchanged, 1)
  const dry = await csv('8,', '?dry_run=true')
  assert.equal(dry.status, 200, dry.text)
  const changesOf = (import_id: number): Promise<Shown[]> =>
    operators.ok('GET', `/operator/v1/imports/${import_id}/changes/`)
  const [previewed] = await changesOf(dry.body.data.import_id)
  assert.deepEqual([previewed?.['before'].quantity_min, previewed?.['after'].quantity_min], [4, 8])
  assert.deepEqual(await rules(), { quantity_min: 4, quantity_multiple: 2 })
  const { import_id } = (await csv('8,')).body.data
  assert.deepEqual(await rules(), { quantity_min: 8, quantity_multiple: 2 })
  await operators.ok('POST', `/operator/v1/imports/${import_id}/undo/`)
  assert.deepEqual(await rules(), { quantity_min: 4, quantity_multiple: 2 })
})
