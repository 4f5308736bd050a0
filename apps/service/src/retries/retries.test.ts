import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sweepIdempotencyKeys } from './sweep-idempotency-keys.ts'
import { startService, type Answer, type RequestOptions, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let me: TestClient
let shop: ReturnType<typeof shopper>

before(async () => {
  service = await startService()
  await addFixtures(service)
})
beforeEach(async () => {
  me = await addClient(service)
  shop = shopper(service, me)
})
after(() => service.close())

type Form = NonNullable<RequestOptions['form']>

const put = (path: string, form: Form, idempotencyKey: string, client = me): Promise<Answer> =>
  service.request('PUT', path, { key: client.key, form, headers: { 'idempotency-key': idempotencyKey } })

const itemsOf = (cart_id: number): string => `/api/v1/carts/${cart_id}/items/`
const discs = { item_id: 1, stock_id: 1, quantity: 3 }

const quantityIn = async (cart_id: number): Promise<number> => {
  const groups = (await shop.ok('GET', itemsOf(cart_id))) as { cart_items: { quantity: number }[] }[]
  return groups.flatMap(({ cart_items }) => cart_items).reduce((sum, { quantity }) => sum + quantity, 0)
}

const carts = async (): Promise<number> => ((await shop.ok('GET', '/api/v1/carts/')) as unknown[]).length

const age = (interval: string): Promise<unknown> =>
  service.sql('update idempotency_keys set created_at = now() - $2::interval where client_id = $1', [
    me.client_id,
    interval,
  ])

test('64 concurrent requests with one key add a line once, and get 64 equal answers', async () => {
  const cart_id = await shop.createCart()
  const answers = await Promise.all(Array.from({ length: 64 }, () => put(itemsOf(cart_id), discs, 'race')))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.deepEqual([answers[0]?.status, answers[0]?.body.data.quantity, await quantityIn(cart_id)], [200, 3, 3])
  await service.checkInvariants()
})

test('64 concurrent requests with one key and two different bodies: one takes effect, the other is refused', async () => {
  const cart_id = await shop.createCart()
  const forms = Array.from({ length: 64 }, (_, n) => ({ ...discs, quantity: 3 + (n % 2) }))
  const answers = await Promise.all(forms.map((form) => put(itemsOf(cart_id), form, 'race')))
  const added = await quantityIn(cart_id)
  assert(added === 3 || added === 4)
  for (const [n, { status, body, text }] of answers.entries()) {
    if (forms[n]?.quantity === added) assert.deepEqual([status, body.data.quantity], [200, added], text)
    else assert.deepEqual([status, body.errors[0]?.code], [409, 'idempotency_key_used'], text)
  }
  await service.checkInvariants()
})

test('64 concurrent requests with one key create one cart', async () => {
  const answers = await Promise.all(
    Array.from({ length: 64 }, () => put('/api/v1/carts/', { name: 'Monday' }, 'one-cart')),
  )
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.deepEqual([answers[0]?.status, await carts()], [200, 1])
  await service.checkInvariants()
})

test('64 concurrent requests create one endpoint and return the same secret; repeating a rotation returns the secret that it created', async () => {
  const url = 'https://dealer.example/hooks'
  const answers = await Promise.all(Array.from({ length: 64 }, () => put('/api/v1/webhooks/', { url }, 'one-hook')))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  const [first] = answers
  assert(first)
  const { webhook_id, secret } = first.body.data
  assert.deepEqual([first.status, (await shop.ok('GET', '/api/v1/webhooks/')).length], [200, 1])
  const rotate = (): Promise<Answer> => put(`/api/v1/webhooks/${webhook_id}/rotate-secret/`, {}, 'one-rotation')
  const rotations = await Promise.all(Array.from({ length: 16 }, rotate))
  assert.deepEqual([rotations[0]?.status, new Set(rotations.map(({ text }) => text)).size], [200, 1])
  assert.notEqual(rotations[0]?.body.data.secret, secret)
  const [kept] = await service.sql('select secret, previous_secret from webhooks where webhook_id = $1', [webhook_id])
  assert.deepEqual(kept, { secret: rotations[0]?.body.data.secret, previous_secret: secret })
  await shop.ok('DELETE', `/api/v1/webhooks/${webhook_id}/`)
  assert.equal((await rotate()).text, rotations[0]?.text)
  await service.checkInvariants()
})

test('a retry gets the first answer byte for byte, even if the line, the item, its price or the cart has changed', async () => {
  const cart_id = await shop.createCart()
  const form = { ...discs, item_id: 3, for_advertising_budget: 'Fr\u00fchling' }
  const first = await put(itemsOf(cart_id), form, 'again')
  assert.equal(first.status, 200)
  await shop.ok('PATCH', `${itemsOf(cart_id)}${first.body.data.cart_item_id}/`, { quantity: 9 })
  await service.sql(
    `update prices set price = 77 where item_id = 3; update items set item_title = 'X', on_sale = false where item_id = 3`,
  )
  assert.equal((await put(itemsOf(cart_id), form, 'again')).text, first.text)
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  assert.equal((await put(itemsOf(cart_id), form, 'again')).text, first.text)
  assert.equal(await carts(), 0)
  await service.sql(
    `update prices set price = 0.3333 where item_id = 3; update items set item_title = 'Spark plug K7, 4 pieces', on_sale = true where item_id = 3`,
  )
})

test('the same fields in another encoding or order are the same request; another cart, item or budget is not', async () => {
  const [cart_id, other] = [await shop.createCart(), await shop.createCart()]
  const first = await put(itemsOf(cart_id), { ...discs, for_advertising_budget: 'Spring' }, 'k')
  const rewritten = await service.request('PUT', `/api/v1/carts/${cart_id}/items`, {
    key: me.key,
    body: 'quantity=3&for_advertising_budget=+Spring+&stock_id=01&item_id=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'idempotency-key': 'k' },
  })
  assert.equal(rewritten.text, first.text)
  for (const [path, form] of [
    [itemsOf(other), { ...discs, for_advertising_budget: 'Spring' }],
    [itemsOf(cart_id), { ...discs, item_id: 2, for_advertising_budget: 'Spring' }],
    [itemsOf(cart_id), discs],
  ] as const) {
    const answer = await put(path, form, 'k')
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [409, 'idempotency_key_used'])
  }
  assert.deepEqual([await quantityIn(cart_id), await quantityIn(other)], [3, 0])
})

test('a key belongs to one client and one operation: elsewhere the same key is new', async () => {
  const cart_id = await shop.createCart()
  const stranger = await addClient(service)
  assert.equal((await put('/api/v1/carts/', { name: 'A' }, 'word')).status, 200)
  assert.equal((await put(itemsOf(cart_id), discs, 'word')).status, 200)
  const theirs = await put('/api/v1/carts/', { name: 'B' }, 'word', stranger)
  assert.deepEqual([theirs.status, theirs.body.data.cart_name], [200, 'B'])
})

test('a refused request stores nothing: the same key works when the reason is gone', async () => {
  const cart_id = await shop.createCart()
  await service.sql('update items set on_sale = false where item_id = 2')
  const form = { ...discs, item_id: 2 }
  assert.equal((await put(itemsOf(cart_id), form, 'later')).body.errors[0]?.code, 'item_not_on_sale')
  await service.sql('update items set on_sale = true where item_id = 2')
  assert.deepEqual((await put(itemsOf(cart_id), form, 'later')).body.data.quantity, 3)
  assert.deepEqual((await put(itemsOf(cart_id), form, 'later')).body.data.quantity, 3)
  assert.equal(await quantityIn(cart_id), 3)
})

test('creating a cart can be retried even when the client has reached the maximum number of carts', async () => {
  const first = await put('/api/v1/carts/', { name: 'Last' }, 'full')
  await service.sql('update clients set cart_count = 1000 where client_id = $1', [me.client_id])
  assert.equal((await put('/api/v1/carts/', { name: 'Last' }, 'full')).text, first.text)
  assert.equal((await put('/api/v1/carts/', { name: 'Next' }, 'next')).body.errors[0]?.code, 'cart_limit_reached')
  await service.sql('update clients set cart_count = 1 where client_id = $1', [me.client_id])
})

test('after 24 hours a key can be used again, swept or not, also by concurrent requests', async () => {
  const cart_id = await shop.createCart()
  await put(itemsOf(cart_id), discs, 'old')
  await age('23 hours 59 minutes')
  assert.equal((await put(itemsOf(cart_id), discs, 'old')).body.data.quantity, 3)
  await age('24 hours')
  const answers = await Promise.all(Array.from({ length: 32 }, () => put(itemsOf(cart_id), discs, 'old')))
  assert.deepEqual([...new Set(answers.map(({ body }) => body.data?.quantity))], [6])
  assert.equal(await quantityIn(cart_id), 6)
  await put('/api/v1/carts/', { name: 'A' }, 'old')
  await age('24 hours')
  assert.equal((await put('/api/v1/carts/', { name: 'B' }, 'old')).body.data.cart_name, 'B')
  await service.checkInvariants()
})

test('sweeping deletes all answers older than 24 hours, and nothing else', async () => {
  await service.sql('delete from idempotency_keys')
  await service.sql(
    `insert into idempotency_keys select $1, 'create-cart', 'k' || n, '', '{}', now() - case when n <= 1200 then interval '24 hours' else interval '23 hours' end
     from generate_series(1, 1300) n`,
    [me.client_id],
  )
  const batches = await Array.fromAsync(sweepIdempotencyKeys(service.db))
  assert.deepEqual(batches, [500, 500, 200, 0])
  assert.deepEqual(await service.sql('select count(*)::integer as left from idempotency_keys'), [{ left: 100 }])
})

test('a key must be 1 to 255 visible ASCII characters; it is refused by name, with the other invalid fields', async () => {
  for (const bad of ['', 'a b', 'x'.repeat(256), 'sch\u00f6n', 'a\tb', ['a', 'b']]) {
    const answer = await service.request('PUT', '/api/v1/carts/', {
      key: me.key,
      form: {},
      headers: { 'idempotency-key': bad },
    })
    assert.deepEqual(
      answer.body.errors.map(({ code, field }) => [code, field]),
      [
        ['field_missing', 'name'],
        ['field_invalid', 'Idempotency-Key'],
      ],
      String(bad),
    )
  }
  assert.equal((await put('/api/v1/carts/', { name: 'A' }, '~!"'.repeat(85))).status, 200)
  assert.equal(await carts(), 1)
})

test('other operations ignore the header, good or bad', async () => {
  const answer = await service.request('GET', '/api/v1/carts/', { key: me.key, headers: { 'idempotency-key': 'a b' } })
  assert.equal(answer.status, 200)
})
