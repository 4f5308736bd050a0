/** A client saves delivery addresses, and an order copies the one that it names. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addressesMax } from './addresses.ts'
import { address, addClient, addFixtures, shopper, shownAddress, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let me: TestClient
let shop: ReturnType<typeof shopper>
const path = '/api/v1/addresses/'

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

async function start(): Promise<void> {
  me = await addClient(service)
  shop = shopper(service, me)
}

const put = (address_name: string, change: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', path, { key: me.key, form: { address_name, ...address, ...change } })

async function place(form: Record<string, string | number>, cart_group_key?: string): Promise<Answer> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const key = cart_group_key ?? (await shop.groupKey(cart_id))
  return service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key: key, ...form } })
}

const addressOf = async (answer: Answer): Promise<object> => {
  assert.equal(answer.status, 200, answer.text)
  return (await shop.ok('GET', `/api/v1/orders/${answer.body.data.created_order_id}/?include=address`)).address
}

test('an address is saved once under its name, replaced as a whole, and deleted', async () => {
  await start()
  const saved = await put('North', { recipient: 'Jonas Weber' })
  const { address_id } = saved.body.data
  const same = await put('North', { recipient: 'Jonas Weber' })
  assert.deepEqual(same.body.data, saved.body.data)
  const replaced = await put('North', { city: 'Potsdam', room: '3' })
  const now = { address_id, address_name: 'North', ...shownAddress, city: 'Potsdam', room: '3' }
  assert.deepEqual(replaced.body.data, now)
  const other = (await put('South')).body.data
  assert.deepEqual(await shop.ok('GET', path), [now, other])
  const page = await service.request('GET', `${path}?limit=1`, { key: me.key })
  assert.deepEqual(page.body.data, [now])
  assert.deepEqual(await shop.ok('DELETE', `${path}${address_id}/`), { address_id })
  assert.deepEqual(await shop.ok('GET', path), [other])
})

test('an order has the address that it names as it was then, with its own recipient', async () => {
  await start()
  const { address_id } = (await put('North', { recipient: 'Jonas Weber', phone: '+49 30 1' })).body.data
  assert.deepEqual(await addressOf(await place({ address_id })), {
    ...shownAddress,
    recipient: 'Jonas Weber',
    phone: '+49 30 1',
  })
  const named = await place({ address_id, recipient: 'Eva Klein', company: 'Klein GmbH' })
  const shown = { ...shownAddress, recipient: 'Eva Klein', company: 'Klein GmbH', phone: '+49 30 1' }
  assert.deepEqual(await addressOf(named), shown)
  await put('North', { city: 'Potsdam' })
  assert.deepEqual(await addressOf(named), shown)
})

test('a repeated order finds its order when the address has changed or is deleted; with another address it is refused', async () => {
  await start()
  const { address_id } = (await put('North')).body.data
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const key = await shop.groupKey(cart_id)
  const first = await place({ address_id }, key)
  await put('North', { city: 'Potsdam' })
  assert.deepEqual((await place({ address_id }, key)).body, first.body)
  const other = (await put('South')).body.data
  assert.equal((await place({ address_id: other.address_id }, key)).body.errors[0]?.code, 'cart_group_already_ordered')
  await shop.ok('DELETE', `${path}${address_id}/`)
  assert.deepEqual((await place({ address_id }, key)).body, first.body)
})

test('an address of another client is not found, and beside an address_id no field of the address is taken', async () => {
  await start()
  const { address_id } = (await put('North')).body.data
  const bad = await place({ address_id, zip: '10115', room: '3' })
  assert.deepEqual(
    bad.body.errors.map(({ code, field }) => [code, field]),
    [
      ['field_invalid', 'zip'],
      ['field_invalid', 'room'],
    ],
  )
  const missing = await place({ address_id: '' })
  assert.deepEqual(
    missing.body.errors.map(({ code, field }) => `${code} ${field}`),
    ['zip', 'country_code', 'region_code', 'city', 'street', 'home'].map((field) => `field_missing ${field}`),
  )
  await start()
  const { status, body } = await place({ address_id })
  assert.deepEqual([status, body.errors[0]?.code], [404, 'address_not_found'])
  assert.deepEqual(await shop.ok('GET', '/api/v1/orders/'), [])
})

test('two at once do not exceed the limit', async () => {
  await start()
  await service.sql(
    `insert into addresses (client_id, contact_id, address_name, zip, country_code, region_code, city, street, home)
     select $1, $2, 'Site ' || n, '1', 'DE', 'DE-BE', 'Berlin', 'A', '1' from generate_series(2, $3::integer) n`,
    [me.client_id, me.contact_id, addressesMax],
  )
  const answers = await Promise.all(['A', 'B', 'C'].map((name) => put(name)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409],
  )
  assert.equal((await put('Site 2')).status, 200, 'One that exists is replaced.')
})

test('erasing a contact deletes the addresses that it saved last, also those that it saves meanwhile', async () => {
  await start()
  const operators = await makeOperators(service)
  await put('North', { recipient: 'Jonas Weber' })
  const erase = `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`
  const saves = Array.from({ length: 5 }, (_, n) => put(`Site ${n}`, { recipient: 'Jonas Weber' }))
  await Promise.all([operators.ok('POST', erase), ...saves])
  assert.deepEqual(await service.sql('select from addresses where client_id = $1', [me.client_id]), [])
})
