import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { day } from '../../testing/world.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
  await service.sql(`
    insert into currencies values ('JPY', 0, 0.006125), ('USD', 2, 0.9);
    insert into price_lists (price_list_id, price_list_name, currency_code) values
      (10, 'Random', 'JPY'), (11, 'Random', 'USD'), (12, 'Random', 'KWD'), (13, 'Random', 'EUR');
    insert into prices select l, i, 1 from generate_series(10, 13) l, generate_series(1, 4) i;
    update stock_levels set on_hand = 1000000000 where stock_id = 1;
  `)
})
after(() => service.close())

interface Buyer {
  readonly me: TestClient
  readonly shop: ReturnType<typeof shopper>
  readonly cart_id: number
}

async function newBuyer(): Promise<Buyer> {
  const me = await addClient(service)
  const shop = shopper(service, me)
  return { me, shop, cart_id: await shop.createCart() }
}

// oxlint-disable-next-line typescript/no-explicit-any -- As Body.data.
const list = ({ shop, cart_id }: Buyer): Promise<any> =>
  shop.ok('GET', `/api/v1/carts/${cart_id}/items/?include=totals`)

const place = ({ me }: Buyer, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })

const codesOf = ({ body }: Answer): string[] => body.errors.map(({ code }) => code)

test('each group shows what an order of it would cost, with its terms, limit and shipping day; each line its availability', async () => {
  const buyer = await newBuyer()
  await buyer.shop.add(buyer.cart_id, { item_id: 3, quantity: 3 })
  await buyer.shop.add(buyer.cart_id, { item_id: 4, quantity: 1, contract_id: buyer.me.limited_contract_id })
  const plain = await buyer.shop.ok('GET', `/api/v1/carts/${buyer.cart_id}/items/`)
  const everything = { sufficient: true, refusals: [] }
  const expected = [
    {
      // 0.3333 × 3 = 0.9999 → 1.00, of which 20/120 is 0.1666… → 0.17.
      totals: {
        currency_code: 'EUR',
        rate: 1,
        goods: 1,
        discount: 0,
        tax: 0.17,
        shipping: 0,
        total: 1,
        tax_mode: 'included',
        tax_percent: 20,
        discount_percent: 0,
        limit_left: null,
        limit_sufficient: true,
        earliest_shipping_date: day(0),
        refusals: [],
      },
      availability: { available: 1_000_000_000, ...everything },
    },
    {
      // 19.99 less 5% (0.9995 → 1.00) is 18.99; 10% added is 1.899 → 1.90.
      totals: {
        currency_code: 'EUR',
        rate: 1,
        goods: 19.99,
        discount: 1,
        tax: 1.9,
        shipping: 0,
        total: 20.89,
        tax_mode: 'added',
        tax_percent: 10,
        discount_percent: 5,
        limit_left: 1000,
        limit_sufficient: true,
        earliest_shipping_date: day(0),
        refusals: [],
      },
      availability: { available: null, ...everything }, // Takes back-orders.
    },
  ]
  assert.deepEqual(
    await list(buyer),
    expected.map(({ totals, availability }, i) => ({
      ...plain[i],
      cart_items: [{ ...plain[i].cart_items[0], availability }],
      totals,
    })),
  )
})

test('an empty cart has no groups, and an unknown cart is not found, as without totals', async () => {
  const buyer = await newBuyer()
  assert.deepEqual(await list(buyer), [])
  const unknown = await service.request('GET', '/api/v1/carts/1/items/?include=totals', { key: buyer.me.key })
  assert.deepEqual([unknown.status, codesOf(unknown)], [404, ['cart_not_found']])
})

test('what is left of the limit falls with each order; a total above it is marked and refused', async () => {
  const buyer = await newBuyer()
  const contract_id = buyer.me.limited_contract_id
  const fill = (quantity: number) => buyer.shop.add(buyer.cart_id, { item_id: 1, quantity, contract_id })
  await fill(40) // 400 less 5% plus 10% is 418.
  await buyer.shop.order(buyer.cart_id)
  await fill(56) // 585.20
  const limitOf = async () => {
    const [{ totals }] = await list(buyer)
    return [totals.total, totals.limit_left, totals.limit_sufficient, totals.refusals]
  }
  assert.deepEqual(await limitOf(), [585.2, 582, false, ['contract_limit_exceeded']])
  const [{ cart_group_key }] = await list(buyer)
  const refused = await place(buyer, cart_group_key)
  assert.deepEqual(codesOf(refused), ['contract_limit_exceeded'])
  assert.deepEqual(refused.body.errors[0]?.details, { contract_id, limit: 1000, used: 418, requested: 585.2 })
  await service.sql('update contracts set contract_limit = 1003.2 where contract_id = $1', [contract_id])
  assert.deepEqual(await limitOf(), [585.2, 585.2, true, []])
  assert.equal((await place(buyer, cart_group_key)).status, 200)
})

test('a total that no order can have is marked and refused', async () => {
  const buyer = await newBuyer()
  await service.sql('update prices set price = 99999999999 where price_list_id = 13 and item_id = 2')
  await service.sql('update contracts set price_list_id = 13 where contract_id = $1', [buyer.me.contract_id])
  await buyer.shop.add(buyer.cart_id, { item_id: 2, quantity: 20 })
  const [{ totals, cart_group_key }] = await list(buyer)
  assert.deepEqual([totals.total, totals.refusals], [1_999_999_999_980, ['order_total_too_large']])
  assert.deepEqual(codesOf(await place(buyer, cart_group_key)), ['order_total_too_large'])
  await service.sql('update prices set price = 1 where price_list_id = 13 and item_id = 2')
})

test('a virtual cart can be ordered in any quantity', async () => {
  const buyer = await newBuyer()
  await service.sql('update carts set virtual = true where cart_id = $1', [buyer.cart_id])
  await buyer.shop.add(buyer.cart_id, { item_id: 1, quantity: 21, stock_id: 2 })
  const [{ cart_items }] = await list(buyer)
  assert.deepEqual(cart_items[0].availability, { available: null, sufficient: true, refusals: [] })
})

test('the earliest shipping day is the first to which an order from that stock can be rescheduled', async () => {
  const buyer = await newBuyer()
  for (const ahead of [0, 1, 2, 4, 5])
    await service.sql('insert into stock_closed_days values (2, $1) on conflict do nothing', [day(ahead)])
  await buyer.shop.add(buyer.cart_id, { item_id: 1, quantity: 1, stock_id: 2 })
  const [{ totals }] = await list(buyer)
  const path = `/api/v1/orders/${await buyer.shop.order(buyer.cart_id)}/`
  const reschedule = (shipping_date: string) =>
    service.request('PATCH', path, { key: buyer.me.key, form: { shipping_date } })
  const refused = await reschedule(day(0))
  assert.equal(refused.body.errors[0]?.details?.['earliest_date'], totals.earliest_shipping_date)
  assert.equal((await reschedule(totals.earliest_shipping_date)).status, 200)
  await service.sql('delete from stock_closed_days')
})

const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
const randomGroup = fc.record({
  price_list_id: fc.constantFrom(10, 11, 12, 13), // Of currencies with 0, 2, 3 and 2 decimal places.
  tax_mode: fc.constantFrom('included', 'added'),
  tax_percent: percent,
  discount_percent: percent,
  lines: fc.uniqueArray(
    fc.record({
      item_id: fc.integer({ min: 1, max: 4 }),
      quantity: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 1_000_000 })),
      price: fc
        .oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 5_000_000 }))
        .map((tenThousandths) => tenThousandths / 10_000),
    }),
    { minLength: 1, maxLength: 4, selector: ({ item_id }) => item_id },
  ),
})

test('an order has exactly the totals and terms that were shown with its key, whatever currency, tax and prices', async () => {
  const buyer = await newBuyer()
  const { contract_id } = buyer.me
  await fc.assert(
    fc.asyncProperty(randomGroup, async ({ price_list_id, tax_mode, tax_percent, discount_percent, lines }) => {
      await service.sql(
        `update contracts set price_list_id = $2, tax_mode = $3, tax_percent = $4, discount_percent = $5
         where contract_id = $1`,
        [contract_id, price_list_id, tax_mode, tax_percent, discount_percent],
      )
      for (const { item_id, quantity, price } of lines) {
        const priced = [price_list_id, item_id, price]
        await service.sql('update prices set price = $3 where price_list_id = $1 and item_id = $2', priced)
        await buyer.shop.add(buyer.cart_id, { item_id, quantity })
      }
      const [{ totals, cart_group_key }] = await list(buyer)
      assert.equal(cart_group_key, await buyer.shop.groupKey(buyer.cart_id))
      assert.deepEqual(totals.refusals, [])
      const placed = await place(buyer, cart_group_key)
      assert.equal(placed.status, 200, placed.text)
      const order = await buyer.shop.ok('GET', `/api/v1/orders/${placed.body.data.created_order_id}/?include=terms`)
      assert.deepEqual(
        [order.order_total, order.order_discount, order.order_tax, order.order_shipping, order.order_rate, order.terms],
        [
          totals.total,
          totals.discount,
          totals.tax,
          totals.shipping,
          totals.rate,
          { currency_code: totals.currency_code, tax_mode, tax_percent, discount_percent },
        ],
      )
    }),
    { numRuns: 100 },
  )
  await service.checkInvariants()
})

test('the net price of an item is what an order of one piece costs, before added tax', async () => {
  const buyer = await newBuyer()
  const { contract_id } = buyer.me
  const onePiece = randomGroup.map(({ lines: [line], ...terms }) => ({ ...terms, line }))
  await fc.assert(
    fc.asyncProperty(onePiece, async ({ price_list_id, tax_mode, tax_percent, discount_percent, line }) => {
      assert(line !== undefined)
      const { item_id, price } = line
      await service.sql(
        `update contracts set price_list_id = $2, tax_mode = $3, tax_percent = $4, discount_percent = $5
         where contract_id = $1`,
        [contract_id, price_list_id, tax_mode, tax_percent, discount_percent],
      )
      const priced = [price_list_id, item_id, price]
      await service.sql('update prices set price = $3 where price_list_id = $1 and item_id = $2', priced)
      await buyer.shop.add(buyer.cart_id, { item_id, quantity: 1 })
      const path = `/api/v1/carts/${buyer.cart_id}/items/`
      const [{ totals, cart_items, cart_group_key }] = await buyer.shop.ok('GET', `${path}?include=net,totals`)
      const [{ net }] = cart_items
      const { currency_code } = totals
      assert.deepEqual({ ...net, price: 0 }, { price: 0, discount_percent, currency_code, tax_mode })
      assert.equal(net.price.toFixed(4), (totals.goods - totals.discount).toFixed(4))
      const item = await buyer.shop.ok('GET', `/api/v1/items/${item_id}/?include=net`)
      const listed = await buyer.shop.ok(
        'GET',
        `/api/v1/items/?articles=${encodeURIComponent(item.item_vendor_code)}&include=net`,
      )
      assert.deepEqual([item.net, listed[0].net], [net, net])
      const [bare] = await buyer.shop.ok('GET', `${path}?include=net`)
      assert.deepEqual([bare.totals, Object.keys(bare.cart_items[0]).at(-1)], [undefined, 'net'])
      const placed = await place(buyer, cart_group_key)
      const order = await buyer.shop.ok('GET', `/api/v1/orders/${placed.body.data.created_order_id}/`)
      assert.equal(
        (order.order_total - (tax_mode === 'added' ? order.order_tax : 0)).toFixed(4),
        Number(net.price).toFixed(4),
      )
    }),
    { numRuns: 50 },
  )
})

const mostly = fc.constantFrom(true, true, true, true, true, false)
const randomCart = fc.record({
  serving: mostly,
  limit: fc.constantFrom(3, 1_000), // Left for this order; each piece costs 1.
  virtual: fc.boolean(),
  lines: fc.uniqueArray(
    fc.record({
      item_id: fc.integer({ min: 1, max: 4 }),
      quantity: fc.integer({ min: 1, max: 5 }),
      on_sale: mostly,
      priced: mostly,
      on_hand: fc.constantFrom(null, 3, 1_000), // Null: no stock level.
      back_order: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4, selector: ({ item_id }) => item_id },
  ),
})

interface ListedLine {
  readonly availability: { readonly refusals: string[] }
}

type RandomCart = typeof randomCart extends fc.Arbitrary<infer T> ? T : never

/** Fills the cart from stock 9 of the test below, and then makes lines and stock what they shall be. */
async function arrange({ me, shop, cart_id }: Buyer, { serving, limit, virtual, lines }: RandomCart): Promise<void> {
  await service.sql('insert into client_stocks values ($1, 9)', [me.client_id])
  for (const { item_id, quantity, on_sale, priced, on_hand, back_order } of lines) {
    await shop.add(cart_id, { item_id, quantity, stock_id: 9 })
    if (on_hand !== null)
      await service.sql('insert into stock_levels (stock_id, item_id, on_hand, back_order) values (9, $1, $2, $3)', [
        item_id,
        on_hand,
        back_order,
      ])
    if (!on_sale) await service.sql('update items set on_sale = false where item_id = $1', [item_id])
    if (!priced) await service.sql('delete from prices where price_list_id = 13 and item_id = $1', [item_id])
  }
  await service.sql('update carts set virtual = $2 where cart_id = $1', [cart_id, virtual])
  if (!serving) await service.sql('delete from client_stocks where stock_id = 9')
  await service.sql('update contracts set contract_limit = exposure + $2 where contract_id = $1', [
    me.contract_id,
    limit,
  ])
}

async function clear({ me, shop, cart_id }: Buyer): Promise<void> {
  await service.sql('update items set on_sale = true where item_id < 5')
  await service.sql('insert into prices select 13, i, 1 from generate_series(1, 4) i on conflict do nothing')
  await service.sql('delete from client_stocks where stock_id = 9')
  await service.sql('update contracts set contract_limit = 0 where contract_id = $1', [me.contract_id])
  await service.sql('delete from stock_levels where stock_id = 9')
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
}

test('an order is refused exactly if its group shows a refusal, and for a reason that is shown', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  await service.sql(`insert into stocks (stock_id, stock_name) values (9, 'Random')`)
  await service.sql('update contracts set price_list_id = 13 where contract_id = $1', [me.contract_id])
  const reached: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(randomCart, async (cart) => {
      const buyer = { me, shop, cart_id: await shop.createCart() }
      try {
        await arrange(buyer, cart)
        const [{ totals, cart_items, cart_group_key }] = await list(buyer)
        const shown: string[] = [totals, ...cart_items.map((line: ListedLine) => line.availability)].flatMap(
          ({ refusals }: { refusals: string[] }) => refusals,
        )
        const answer = await place(buyer, cart_group_key)
        assert.equal(answer.status === 200, shown.length === 0, `${JSON.stringify(shown)} ${answer.text}`)
        const codes = answer.status === 200 ? ['done'] : codesOf(answer)
        for (const code of codes) {
          reached[code] = (reached[code] ?? 0) + 1
          if (code !== 'done') assert(shown.includes(code), `${code} is not in ${shown.join()}`)
        }
      } finally {
        await clear(buyer)
      }
    }),
    { numRuns: 80 },
  )
  const all = ['stock_not_serving', 'item_not_on_sale', 'item_not_priced', 'out_of_stock', 'contract_limit_exceeded']
  for (const code of ['done', ...all]) assert((reached[code] ?? 0) > 0, `${code}: ${JSON.stringify(reached)}`)
})
