/** What clients send with an order under keys of their own, and what the distributor keeps with orders, clients and items. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { databaseDigest } from '../testing/database-digest.ts'
import { address, addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { formBody, startService, type Answer, type TestService } from '../testing/service.ts'
import { makeWorld, type World } from '../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
afterEach(() => service.checkInvariants())
after(() => service.close())

async function groupKey({ shop }: World): Promise<string> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return shop.groupKey(cart_id)
}

const send = ({ me }: World, form: Record<string, string>): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { ...address, ...form } })

/** An order with this metadata. */
async function placed(world: World, metadata: Record<string, string> = {}): Promise<number> {
  const fields = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value])
  const { status, body, text } = await send(world, {
    cart_group_key: await groupKey(world),
    ...Object.fromEntries(fields),
  })
  assert.equal(status, 200, text)
  return body.data.created_order_id
}

const seen = async ({ shop }: World, order_id: number): Promise<unknown> =>
  (await shop.ok('GET', `/api/v1/orders/${order_id}/?include=metadata`)).metadata

const keep = (of: string, metadata: object): Promise<{ metadata: object }> =>
  operators.ok('PATCH', `/operator/v1/${of}/metadata/`, { metadata })

const read = (order_id: number) => operators.ok('GET', `/operator/v1/orders/${order_id}/`)

interface ShownEvent {
  readonly event_type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The latest event of a client, as it reads it and as operators do. */
async function lastEvent({ shop, me }: World): Promise<{ shown: ShownEvent; full: ShownEvent }> {
  const shown = (await shop.ok('GET', '/api/v1/events/?limit=500')).at(-1)
  for (let cursor = ''; ;) {
    const { events, next_cursor } = await operators.ok('GET', `/operator/v1/events/?limit=500${cursor}`)
    const full = events.find(
      (one: Record<string, unknown>) => one['client_id'] === me.client_id && one['event_number'] === shown.event_number,
    )
    if (full !== undefined) return { shown, full }
    assert(events.length > 0)
    cursor = `&cursor=${String(next_cursor)}`
  }
}

test('a client sends metadata with an order, sees it on request only, and finds it in the event', async () => {
  const world = await makeWorld(service)
  const sent = { machine: 'TGX 18.480', 'job.no_1-x': '4711: a=b&c' }
  const order_id = await placed(world, sent)
  assert.deepEqual(await seen(world, order_id), sent)
  assert.equal((await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)).metadata, undefined)
  const [listed] = await world.shop.ok('GET', '/api/v1/orders/?include=metadata')
  assert.deepEqual(listed.metadata, sent)
  const { client_metadata, metadata } = await read(order_id)
  assert.deepEqual([client_metadata, metadata], [sent, {}])
  const { shown, full } = await lastEvent(world)
  assert.deepEqual([shown.event_type, shown.data.metadata, full.data.metadata], ['order.created', sent, sent])
  await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
  assert.equal((await lastEvent(world)).shown.data.metadata, undefined)

  await placed(world)
  const without = await lastEvent(world)
  assert('order_id' in without.shown.data && !('metadata' in without.shown.data) && !('metadata' in without.full.data))
})

test('a repeated order with other metadata gets the first answer and changes nothing', async () => {
  const world = await makeWorld(service)
  const form = { cart_group_key: await groupKey(world), 'metadata[job]': '1' }
  const first = await send(world, form)
  assert.equal(first.status, 200)
  const stored = await databaseDigest(service)
  const others: Record<string, string>[] = [
    { 'metadata[job]': '2' },
    { 'metadata[job]': '' },
    { 'metadata[more]': 'x' },
  ]
  for (const other of others) assert.equal((await send(world, { ...form, ...other })).text, first.text)
  assert.deepEqual(await databaseDigest(service), stored)
  assert.deepEqual(await seen(world, first.body.data.created_order_id), { job: '1' })
})

test('a form and JSON say the same; texts are trimmed and normalised, empty ones are left out, and any key is a key', async () => {
  const world = await makeWorld(service)
  const order_id = await placed(world, { a: '  e\u0301 ', empty: ' ', __proto__x: 'p', ['__proto__']: 'q' })
  const expected = Object.fromEntries([['__proto__', 'q'], ['__proto__x', 'p'], ['a', '\u00e9']]) // prettier-ignore
  assert.deepEqual(await seen(world, order_id), expected)
  const json = { ...address, cart_group_key: await groupKey(world), metadata: { a: ' e\u0301', empty: '' } }
  const { body } = await service.request('PUT', '/api/v1/orders/', { key: world.me.key, json })
  assert.deepEqual(await seen(world, body.data.created_order_id), { a: '\u00e9' })
  const full = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`.padEnd(40, '-'), 'v'.repeat(500)]))
  assert.deepEqual(await seen(world, await placed(world, full)), full)
})

test('metadata that breaks a rule is refused with its field, and nothing is ordered', async () => {
  const world = await makeWorld(service)
  const form = { ...address, cart_group_key: await groupKey(world) }
  const stored = await databaseDigest(service)
  const twentyOne = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`metadata[k${n}]`, 'v']))
  for (const [fields, field, code] of [
    [{ 'metadata[]': 'x' }, 'metadata', 'field_invalid'],
    [{ 'metadata[a b]': 'x' }, 'metadata', 'field_invalid'],
    [{ 'metadata[ä]': 'x' }, 'metadata', 'field_invalid'],
    [{ 'metadata[a][b]': 'x' }, 'metadata', 'field_invalid'],
    [{ [`metadata[${'k'.repeat(41)}]`]: 'x' }, 'metadata', 'field_invalid'],
    [{ 'metadata[a]': 'x'.repeat(501) }, 'metadata', 'field_invalid'],
    [{ 'metadata[a]': 'x\ny' }, 'metadata', 'field_invalid'],
    [twentyOne, 'metadata', 'field_invalid'],
    [{ 'metadata[a]': 'x', metadata: '{"a":"y"}' }, 'metadata', 'field_repeated'],
    [{ 'comment[a]': 'x' }, 'comment[a]', 'field_unknown'],
    [{ 'metadata.a': 'x' }, 'metadata.a', 'field_unknown'],
  ] as [Record<string, string>, string, string][]) {
    const { status, body } = await send(world, { ...form, ...fields })
    assert.deepEqual([status, body.errors[0]?.code, body.errors[0]?.field], [400, code, field], JSON.stringify(fields))
  }
  for (const [pair, code] of [
    ['metadata[a]=1&metadata[a]=2', 'field_repeated'],
    ['metadata[a]=%ff', 'field_invalid'],
  ]) {
    // prettier-ignore
    const { status, body } = await service.request('PUT', '/api/v1/orders/', {
      key: world.me.key,
      body: `${formBody(form)}&${pair}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.deepEqual([status, body.errors[0]?.code, body.errors[0]?.field], [400, code, 'metadata[a]'])
  }
  for (const metadata of ['x', [], { a: 1 }, { a: { b: 'c' } }]) {
    const { status, body } = await service.request('PUT', '/api/v1/orders/', {
      key: world.me.key,
      json: { ...form, metadata },
    })
    assert.deepEqual([status, body.errors[0]?.code, body.errors[0]?.field], [400, 'field_invalid', 'metadata'])
  }
  assert.deepEqual(await databaseDigest(service), stored)
})

test("the distributor merges its own metadata of an order, which the client never sees, and which the client's does not touch", async () => {
  const world = await makeWorld(service)
  const order_id = await placed(world, { job: 'of the client' })
  const of = `orders/${order_id}`
  assert.deepEqual(await keep(of, { job: 'secret-1', tour: '7' }), { metadata: { job: 'secret-1', tour: '7' } })
  assert.deepEqual(await keep(of, { tour: '', ramp: 'secret-2' }), {
    metadata: { job: 'secret-1', ramp: 'secret-2' },
  })
  const stored = await databaseDigest(service)
  assert.deepEqual(await keep(of, { tour: '', ramp: 'secret-2' }), {
    metadata: { job: 'secret-1', ramp: 'secret-2' },
  })
  assert.deepEqual(await databaseDigest(service), stored)
  const { client_metadata, metadata } = await read(order_id)
  assert.deepEqual([client_metadata, metadata], [{ job: 'of the client' }, { job: 'secret-1', ramp: 'secret-2' }])

  const { shown, full } = await lastEvent(world)
  assert.equal(shown.event_type, 'order.metadata_changed')
  assert.deepEqual(
    [full.data.metadata, full.data.before],
    [{ job: 'secret-1', ramp: 'secret-2' }, { metadata: { job: 'secret-1', tour: '7' } }],
  )
  assert.deepEqual([shown.data.order_id, shown.data.metadata, shown.data.before], [order_id, undefined, undefined])
  const includes = 'address,items,terms,shipments,returns,documents,metadata,reference,actions'
  for (const path of ['events/?limit=100', `orders/${order_id}/?include=${includes}`, `orders/?include=${includes}`]) {
    const { status, text } = await service.request('GET', `/api/v1/${path}`, { key: world.me.key })
    assert.deepEqual([status, /secret/.test(text)], [200, false], path)
  }
  const [, before_] = await operators.ok('GET', `/operator/v1/log/?order_id=${order_id}`)
  assert.equal(before_.event_type, 'order.metadata_changed')
})

test('the metadata of a client and of an item is read by operators, with a trace, and by no client', async () => {
  const world = await makeWorld(service)
  const { client_id, key } = world.me
  await keep(`clients/${client_id}`, { debtor: 'secret-3' })
  assert.deepEqual((await operators.ok('GET', `/operator/v1/clients/${client_id}/`)).metadata, { debtor: 'secret-3' })
  await keep(`clients/${client_id}`, { debtor: '' })
  assert.deepEqual((await operators.ok('GET', `/operator/v1/clients/${client_id}/`)).metadata, {})
  const { shown, full } = await lastEvent(world)
  assert.deepEqual([shown.event_type, shown.data], ['client.changed', {}])
  assert.deepEqual(full.data, { metadata: {}, before: { metadata: { debtor: 'secret-3' } } })

  await keep('items/1', { shelf: 'secret-4' })
  assert.deepEqual((await operators.ok('GET', '/operator/v1/items/1/')).metadata, { shelf: 'secret-4' })
  const [change] = await operators.ok('GET', '/operator/v1/catalogue-changes/?limit=1')
  assert.deepEqual(
    [change.changed, change.data],
    ['item', { item_id: 1, metadata: { shelf: 'secret-4' }, before: { metadata: {} } }],
  )
  for (const path of ['events/?limit=100', 'items/1/', 'items/?limit=500', 'items/changes/']) {
    const { status, text } = await service.request('GET', `/api/v1/${path}`, { key })
    assert.deepEqual([status, /secret/.test(text)], [200, false], path)
  }
})

test('changes of different keys at once are all kept', async () => {
  const world = await makeWorld(service)
  for (const where of [`orders/${await placed(world)}`, `clients/${world.me.client_id}`, 'items/2']) {
    const keys = Array.from({ length: 8 }, (_, n) => `k${n}`)
    await Promise.all(keys.map((key) => keep(where, { [key]: key })))
    assert.deepEqual(
      (await keep(where, { k0: '' })).metadata,
      Object.fromEntries(keys.slice(1).map((key) => [key, key])),
    )
  }
})

test('orders are found by an exact pair, newest first: by clients of what they sent, by operators of both', async () => {
  const [mine, other] = [await makeWorld(service), await makeWorld(service)]
  const pair = { machine: 'M: 7' }
  const first = await placed(mine, { ...pair, more: 'x' })
  await placed(mine, { machine: 'M: 70' })
  await placed(mine, { machin: 'M: 7' })
  const second = await placed(mine, pair)
  const theirs = await placed(other, pair)
  const kept = await placed(mine)
  await keep(`orders/${kept}`, pair)
  await keep(`orders/${first}`, pair)
  const query = `metadata=${encodeURIComponent('machine:M: 7')}`
  const ids = (orders: { order_id: number }[]): number[] => orders.map(({ order_id }) => order_id)
  const ofClient = async (more = '') => ids(await mine.shop.ok('GET', `/api/v1/orders/?${query}${more}`))
  assert.deepEqual(await ofClient(), [second, first])
  assert.deepEqual(await ofClient('&limit=1'), [second])
  await operators.ok('POST', `/operator/v1/orders/${first}/move/`, { state_id: 'processing' })
  assert.deepEqual(await ofClient('&state=processing'), [first])
  assert.deepEqual(await ofClient('&sku_code=BN-280-V'), [second, first])
  assert.deepEqual(await ofClient('&sku_code=FW-2'), [])
  assert.deepEqual(await ofClient('&reference=PO'), [])
  assert.deepEqual(await ofClient('&date_from=2100-01-01'), [])

  const ofAll = async (more = '') => ids(await operators.ok('GET', `/operator/v1/orders/?${query}${more}`))
  assert.deepEqual(await ofAll(), [kept, theirs, second, first])
  const { client_id } = mine.me
  for (const [more, found] of [
    [`&client_id=${client_id}`, [kept, second, first]],
    ['&state=processing', [first]],
    ['&sku_code=BN-280-V', [kept, theirs, second, first]],
    ['&sku_code=FW-2', []],
    ['&held=true', []],
    [`&search=${encodeURIComponent('Garage Weber')}&client_id=${client_id}`, [kept, second, first]],
    ['&sort=total', [kept, theirs, second, first]],
  ] as const)
    assert.deepEqual(await ofAll(more), found, more)
  const { body } = await service.request('GET', `/operator/v1/orders/?${query}&limit=2`, { key: operators.keys.viewer })
  assert.deepEqual(ids(body.data), [kept, theirs])
  assert.deepEqual(await ofAll(`&cursor=${String(body.paging?.next_cursor)}`), [second, first])
  for (const bad of ['machine', ':x', 'machine:', 'a b:c']) {
    const path = `/api/v1/orders/?metadata=${encodeURIComponent(bad)}`
    const answer = await service.request('GET', path, { key: mine.me.key })
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'metadata'], bad)
  }
})
