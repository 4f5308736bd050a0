/** Documents of an order: links that the distributor puts on it, and that its client sees. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { makeWorld, type World } from '../../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
afterEach(() => service.checkInvariants())
after(() => service.close())

const invoice = { kind: 'invoice', number: 'R-1', url: 'https://erp.example/R-1.pdf', issued_on: '2026-11-20' }
const undated = { kind: 'other', number: 'Z', url: 'https://erp.example/Z', issued_on: null }

const pathOf = (order_id: number): string => `/operator/v1/orders/${order_id}/documents/`
const send = (order_id: number, json: object): Promise<Answer> =>
  service.request('PUT', pathOf(order_id), { key: operators.keys.decider, json })

async function put(order_id: number, json: object): Promise<object[]> {
  const { status, body, text } = await send(order_id, json)
  assert.equal(status, 200, text)
  return body.data.documents
}

const seen = async ({ shop }: World, order_id: number): Promise<unknown> =>
  (await shop.ok('GET', `/api/v1/orders/${order_id}/?include=documents`)).documents

/** The client's events about documents: type, document, and what it replaced. */
async function events({ shop }: World): Promise<unknown[]> {
  const all = await shop.ok('GET', '/api/v1/events/?limit=100')
  return all
    .filter(({ event_type }: { event_type: string }) => event_type.startsWith('order.document'))
    .map(({ event_type, data: { document, replaced } }: { event_type: string; data: Record<string, object> }) =>
      [event_type, document, replaced].filter((one) => one !== undefined),
    )
}

test('a client sees the documents of its order by the day of issue, and each change in its events', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  assert.deepEqual(await seen(world, order_id), [])
  await put(order_id, { kind: 'other', number: 'Z', url: 'https://erp.example/Z' })
  const note = { ...invoice, kind: 'delivery_note', issued_on: '2026-11-19' }
  await put(order_id, note)
  assert.deepEqual(await put(order_id, invoice), [note, invoice, undated])
  const moved = { ...invoice, url: 'https://new.example/R-1.pdf' }
  assert.deepEqual(await put(order_id, moved), [note, moved, undated])
  const { body } = await service.request('DELETE', `${pathOf(order_id)}?kind=delivery_note&number=R-1`, {
    key: operators.keys.decider,
  })
  assert.deepEqual(body.data.documents, [moved, undated])

  assert.deepEqual(await seen(world, order_id), [moved, undated])
  const [listed] = await world.shop.ok('GET', '/api/v1/orders/?include=documents')
  assert.deepEqual(listed.documents, [moved, undated])
  assert.deepEqual((await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).documents, [moved, undated])
  assert.deepEqual(await events(world), [
    ['order.document_added', undated],
    ['order.document_added', note],
    ['order.document_added', invoice],
    ['order.document_added', moved, invoice],
    ['order.document_removed', note],
  ])
})

test('repeating a document changes nothing and records no event; another day or the lack of one does', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  await put(order_id, invoice)
  const stored = await databaseDigest(service)
  await put(order_id, invoice)
  assert.deepEqual(await databaseDigest(service), stored)
  const { issued_on: _, ...withoutDay } = invoice
  assert.deepEqual(await put(order_id, withoutDay), [{ ...invoice, issued_on: null }])
  assert.equal((await events(world)).length, 2)
})

test('a full order takes no further document, and still takes another link for one that it has', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  for (let n = 1; n <= 50; n++) await put(order_id, { ...invoice, number: String(n) })
  const stored = await databaseDigest(service)
  const { status, body } = await send(order_id, invoice)
  assert.deepEqual([status, body.errors[0]?.code], [409, 'order_documents_full'])
  assert.deepEqual(await databaseDigest(service), stored)
  assert.equal((await put(order_id, { ...invoice, number: '7', url: 'https://erp.example/7' })).length, 50)
})

test('a link is an https URL, and it is stored as the URL standard writes it', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  const stored = await databaseDigest(service)
  for (const url of [
    'http://erp.example/1',
    'javascript:alert(1)',
    'erp.example/1',
    '/1',
    `https://erp.example/${'a'.repeat(1_981)}`,
  ]) {
    // prettier-ignore
    const { status, body } = await send(order_id, { ...invoice, url })
    assert.deepEqual([status, body.errors[0]?.field], [400, 'url'], url)
  }
  assert.deepEqual(await databaseDigest(service), stored)
  const longest = `https://erp.example/${'a'.repeat(1_980)}`
  assert.deepEqual(await put(order_id, { ...undated, issued_on: undefined, url: longest }), [
    { ...undated, url: longest },
  ])
  assert.deepEqual(await put(order_id, { kind: 'OTHER', number: 'Z', url: 'HTTPS://ERP.example' }), [
    { ...undated, url: 'https://erp.example/' },
  ])
})

test('of two documents with the same kind and number at once, one replaces the other', async () => {
  for (let round = 0; round < 10; round++) {
    const world = await makeWorld(service)
    const { order_id } = await order(world)
    const both = [1, 2].map((n) => ({ ...invoice, url: `https://erp.example/${n}` }))
    await Promise.all(both.map((one) => put(order_id, one)))
    const documents = await seen(world, order_id)
    const [first, last] = JSON.stringify(documents) === JSON.stringify([both[1]]) ? both : both.toReversed()
    assert.deepEqual(documents, [last])
    assert.deepEqual(await events(world), [
      ['order.document_added', first],
      ['order.document_added', last, first],
    ])
  }
})

test('the same document sent twice at once is one event', async () => {
  for (let round = 0; round < 10; round++) {
    const world = await makeWorld(service)
    const { order_id } = await order(world)
    await Promise.all([put(order_id, invoice), put(order_id, invoice)])
    assert.deepEqual(await events(world), [['order.document_added', invoice]])
  }
})
