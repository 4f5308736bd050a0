/** Terms change while clients order: an order has the terms that its key was shown with, or there is no order. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

const raceRounds = rounds(1_280) // About half of them start with the order, half with the change.

let service: TestService
let operators: Operators
let buyers: Buyer[]

/** A client with a currency of its own, so that its rate can change without affecting the others. */
interface Buyer extends TestClient {
  readonly currency_code: string
}

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  buyers = await Promise.all(['AAA', 'BBB', 'CCC', 'DDD'].map((code, i) => addBuyer(code, 11 + i)))
})
after(() => service.close())

async function addBuyer(currency_code: string, price_list_id: number): Promise<Buyer> {
  const me = await addClient(service)
  await service.sql('insert into currencies values ($1, 2, 1)', [currency_code])
  await service.sql(`insert into price_lists values ($1, 'Own', $2)`, [price_list_id, currency_code])
  await service.sql('insert into prices values ($1, 2, 100)', [price_list_id])
  await service.sql('update contracts set price_list_id = $2 where contract_id = $1', [me.contract_id, price_list_id])
  return { ...me, currency_code }
}

const operator = (method: string, path: string, json: object): Promise<Answer> =>
  service.request(method, `/operator/v1/${path}`, { key: operators.keys.admin, json })

const setTerms = ({ client_id, contract_id }: Buyer, terms: object): Promise<Answer> =>
  operator('PATCH', `clients/${client_id}/contracts/${contract_id}/`, terms)

const setRate = ({ currency_code }: Buyer, rate: number): Promise<Answer> =>
  operator('PUT', `currencies/${currency_code}/`, { minor_digits: 2, rate })

const place = ({ key }: Buyer, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key, form: { cart_group_key, ...address } })

interface Race {
  readonly reset: (me: Buyer) => Promise<Answer>
  readonly change: (me: Buyer) => Promise<Answer>
  /** Of one piece at 100.00: total, discount, tax and rate, before and after the change. */
  readonly shown: readonly number[]
  readonly changed: readonly number[]
}

/** One piece is ordered with the key shown before, while the terms change. */
async function raceOrder(me: Buyer, { reset, change, shown, changed }: Race): Promise<string> {
  const shop = shopper(service, me)
  assert.equal((await reset(me)).status, 200)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  const key = await shop.groupKey(cart_id)
  const [ordered, done] = await atTheSameTime(
    () => place(me, key),
    () => change(me),
  )
  assert.equal(done.status, 200, done.text)
  const outcome = shortOf(ordered)
  if (outcome === 'done') assert.deepEqual(await figuresOf(shop, ordered), shown)
  else {
    const { details } = ordered.body.errors[0] ?? {}
    assert.deepEqual(details?.['changed'], ['terms'], ordered.text)
    assert.equal((await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)).length, 1)
    assert.deepEqual(await figuresOf(shop, await place(me, String(details?.['cart_group_key']))), changed)
  }
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  return outcome
}

async function figuresOf(shop: ReturnType<typeof shopper>, { body }: Answer): Promise<number[]> {
  const order = await shop.ok('GET', `/api/v1/orders/${body.data.created_order_id}/`)
  return [order.order_total, order.order_discount, order.order_tax, order.order_rate]
}

test("a contract's terms change while the client orders: the order has the terms shown, or is refused", async () => {
  const outcomes = await countOutcomes(raceRounds, buyers, (me) =>
    raceOrder(me, {
      reset: () => setTerms(me, { discount_percent: 5, tax_mode: 'included', tax_percent: 25 }),
      change: () => setTerms(me, { discount_percent: 10, tax_mode: 'added', tax_percent: 20 }),
      shown: [95, 5, 19, 1],
      changed: [108, 10, 18, 1],
    }),
  )
  assertAll(outcomes, 'done', 'cart_group_changed')
  await service.checkInvariants()
})

test('the rate of the currency changes while the client orders: the order has the rate shown, or is refused', async () => {
  for (const me of buyers) await setTerms(me, { discount_percent: 0, tax_mode: 'included', tax_percent: 0 })
  const outcomes = await countOutcomes(raceRounds, buyers, (me) =>
    raceOrder(me, {
      reset: () => setRate(me, 1),
      change: () => setRate(me, 1.5),
      shown: [100, 0, 0, 1],
      changed: [100, 0, 0, 1.5],
    }),
  )
  assertAll(outcomes, 'done', 'cart_group_changed')
  await service.checkInvariants()
})

test('a cart is marked as virtual while the client orders: the order is not virtual, or is refused', async () => {
  const outcomes = await countOutcomes(raceRounds, buyers, async (me) => {
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 2, quantity: 1 })
    const key = await shop.groupKey(cart_id)
    const [ordered, marked] = await atTheSameTime(
      () => place(me, key),
      () => operator('PATCH', `clients/${me.client_id}/carts/${cart_id}/`, { virtual: true }),
    )
    assert.equal(marked.status, 200, marked.text)
    const outcome = shortOf(ordered)
    const { details } = ordered.body.errors?.[0] ?? {}
    const asShown = outcome === 'done'
    if (!asShown) assert.deepEqual(details?.['changed'], ['virtual'], ordered.text)
    const { body } = asShown ? ordered : await place(me, String(details?.['cart_group_key']))
    assert.equal((await shop.ok('GET', `/api/v1/orders/${body.data.created_order_id}/`)).virtual, !asShown)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return outcome
  })
  assertAll(outcomes, 'done', 'cart_group_changed')
  await service.checkInvariants()
})

test('terms change all the time while the client reads totals and orders: each order has the totals shown with its key', async () => {
  const outcomes = await countOutcomes(raceRounds, buyers, async (me) => {
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 2, quantity: 1 })
    const read = async (): Promise<{ cart_group_key: string; totals: Record<string, number> }> =>
      (await shop.ok('GET', `/api/v1/carts/${cart_id}/items/?include=totals`))[0]
    const [group] = await atTheSameTime(read, () => setTerms(me, { discount_percent: Math.floor(Math.random() * 100) }))
    const [ordered] = await atTheSameTime(
      () => place(me, group.cart_group_key),
      () => setRate(me, 1 + Math.floor(Math.random() * 1_000) / 1_000),
    )
    const outcome = shortOf(ordered)
    if (outcome === 'done') {
      const { total, discount, tax, rate } = group.totals
      assert.deepEqual(await figuresOf(shop, ordered), [total, discount, tax, rate])
    }
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return outcome
  })
  assertAll(outcomes, 'done', 'cart_group_changed')
  await service.checkInvariants()
})
