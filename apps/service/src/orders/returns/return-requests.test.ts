/** Clients request to return goods, operators decide, and the arrival ends the request. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { addFixtures } from '../../testing/fixtures.ts'
import { databaseDigest } from '../../testing/database-digest.ts'
import { anyId, at, maskVolatile } from '../../testing/mask-volatile.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { orderOfLines } from '../../testing/orders.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())
beforeEach(async () => {
  world = await makeOperatorWorld(service, operators)
})

/** An order of three discs and four filters, all shipped. */
async function shipped(): Promise<{ order_id: number; disc: number; filter: number }> {
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  for (const state_id of ['processing', 'fulfilling', 'shipped'])
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
  return { order_id, disc: lineOf(1), filter: lineOf(2) }
}

interface Line {
  readonly order_item_id: number
  readonly quantity: number
}

const ask = (order_id: number, lines: readonly Line[], headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', `/api/v1/orders/${order_id}/return-requests/`, {
    key: world.me.key,
    json: { lines, reason: 'Does not fit.' },
    headers,
  })

const asked = async (order_id: number, lines: readonly Line[]): Promise<number> => {
  const { status, body, text } = await ask(order_id, lines)
  assert.equal(status, 200, text)
  return body.data.return_request_id
}

const decide = (id: number, decision: 'accept' | 'reject', json: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/return-requests/${id}/${decision}/`, { key: operators.keys.decider, json })

const accept = (id: number): Promise<Answer> => decide(id, 'accept', { instruction: 'To Berlin.' })

const book = (order_id: number, lines: readonly Line[], more: object = {}): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/returns/`, {
    key: operators.keys.decider,
    json: { lines, reason: 'Does not fit.', restock: true, ...more },
  })

const shown = async (order_id: number) =>
  (await world.shop.ok('GET', `/api/v1/orders/${order_id}/?include=returns`)).return_requests

const returnable = ({ body }: Answer): unknown[] => body.errors.map(({ code, details }) => [code, details])

test('a request is made, accepted and ends with the arrival; the client reads each step on the order and in its events', async () => {
  const { order_id, disc, filter } = await shipped()
  const lines = [{ order_item_id: disc, quantity: 2 }, { order_item_id: filter, quantity: 1 }] // prettier-ignore
  const id = await asked(order_id, lines.toReversed())
  const request = {
    return_request_id: id,
    order_id,
    request_datetime: at,
    request_status: 'WAIT',
    reason: 'Does not fit.',
    lines,
    instruction: null as string | null,
    canceled_message: null,
    decided_by: null as string | null,
    decided_at: null as string | null,
    return_id: null as number | null,
  }
  const steps = [request]
  const seen = async (): Promise<void> =>
    assert.deepEqual(maskVolatile(await shown(order_id), [steps.at(-1)]), [steps.at(-1)])
  await seen()
  const { status, body } = await accept(id)
  assert.equal(status, 200)
  assert.match(body.data.decided_by, /^operator \d+ key \d+, Test decider$/)
  steps.push({
    ...request,
    request_status: 'ACCEPTED',
    instruction: 'To Berlin.',
    decided_by: 'distributor',
    decided_at: at,
  })
  await seen()
  const booked = await book(order_id, lines, { return_request_id: id, restock: false })
  assert.equal(booked.status, 200, booked.text)
  const { returns, return_requests } = booked.body.data
  const { return_id } = returns[0]
  assert.equal(return_requests[0].decided_by, body.data.decided_by)
  steps.push({
    ...request,
    request_status: 'RETURNED',
    instruction: 'To Berlin.',
    decided_by: 'distributor',
    decided_at: at,
    return_id,
  })
  await seen()
  assert.deepEqual((await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).return_requests, return_requests)
  const listed = await world.shop.ok('GET', '/api/v1/orders/?include=returns')
  assert.deepEqual(listed[0].return_requests, await shown(order_id))

  const events = (await world.shop.ok('GET', '/api/v1/events/?limit=100')).filter(
    ({ event_type }: { event_type: string }) => /return/.test(event_type),
  )
  assert.deepEqual(
    events.map(({ event_type }: { event_type: string }) => event_type),
    ['return_request.created', 'return_request.decided', 'order.returned', 'return_request.arrived'],
  )
  const told = events.filter(({ event_type }: { event_type: string }) => event_type.startsWith('return_request.'))
  for (const [n, { data, order_id: about }] of told.entries()) {
    assert.equal(about, order_id)
    assert.deepEqual(maskVolatile(data, steps[n]), steps[n])
  }
  assert.equal(events[2].data.return.return_id, return_id)
  const feed = (await operators.ok('GET', `/operator/v1/log/?order_id=${order_id}`)).filter(
    ({ event_type }: { event_type: string }) => event_type === 'return_request.decided',
  )
  assert.deepEqual(
    feed.map(({ actor }: { actor: string }) => actor),
    [body.data.decided_by],
  )
  await service.checkInvariants()
})

test('no more can be requested than was shipped, has not come back and is not requested already', async () => {
  const { order_id, disc, filter } = await shipped()
  const discs = (quantity: number): Line[] => [{ order_item_id: disc, quantity }]
  const first = await asked(order_id, discs(1)) // Of three.
  assert.equal((await accept(first)).status, 200)
  await book(order_id, discs(1))
  const stored = await databaseDigest(service)
  const tooMany = await ask(order_id, [...discs(2), { order_item_id: filter, quantity: 5 }])
  assert.equal(tooMany.status, 409)
  assert.deepEqual(returnable(tooMany), [
    ['quantity_not_returnable', { order_item_id: disc, returnable: 1, requested: 2 }],
    ['quantity_not_returnable', { order_item_id: filter, returnable: 4, requested: 5 }],
  ])
  assert.deepEqual(await databaseDigest(service), stored)
  const second = await asked(order_id, discs(1))
  assert.deepEqual(returnable(await ask(order_id, discs(1))), [
    ['quantity_not_returnable', { order_item_id: disc, returnable: 0, requested: 1 }],
  ])

  // A request that is withdrawn or rejected, also after it was accepted, can be made again.
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/return-requests/${second}/`)
  const third = await asked(order_id, discs(1))
  assert.equal((await decide(third, 'reject', { message: 'Used.' })).status, 200)
  assert.equal((await decide(first, 'reject', { message: 'They never came.' })).status, 200)
  await asked(order_id, discs(2))
  assert.deepEqual(
    (await shown(order_id)).map((one: Record<string, unknown>) => [one['request_status'], one['canceled_message']]),
    [
      ['CANCELED', 'They never came.'],
      ['CANCELED', 'Withdrawn by the client.'],
      ['CANCELED', 'Used.'],
      ['WAIT', null],
    ],
  )
  const decided = (await world.shop.ok('GET', '/api/v1/events/?limit=100'))
    .filter(({ event_type }: { event_type: string }) => event_type === 'return_request.decided')
    .map(({ data }: { data: Record<string, unknown> }) => [data['return_request_id'], data['request_status'], data['instruction'], data['canceled_message']]) // prettier-ignore
  assert.deepEqual(decided, [
    [first, 'ACCEPTED', 'To Berlin.', null],
    [second, 'CANCELED', null, 'Withdrawn by the client.'],
    [third, 'CANCELED', null, 'Used.'],
    [first, 'CANCELED', 'To Berlin.', 'They never came.'],
  ])
  await service.checkInvariants()
})

test('what is not shipped cannot be returned', async () => {
  const { order_id, lineOf } = await orderOfLines(world, [{ item_id: 1, quantity: 3 }])
  const answer = await ask(order_id, [{ order_item_id: lineOf(1), quantity: 1 }])
  assert.deepEqual(returnable(answer), [
    ['quantity_not_returnable', { order_item_id: lineOf(1), returnable: 0, requested: 1 }],
  ])
})

test('goods that came back without the request leave nothing to accept: it can only be rejected', async () => {
  const { order_id, disc } = await shipped()
  const id = await asked(order_id, [{ order_item_id: disc, quantity: 2 }])
  await book(order_id, [{ order_item_id: disc, quantity: 2 }])
  const entry = (await operators.ok('GET', '/operator/v1/inbox/?limit=500')).find(
    ({ order_id: of }: { order_id: number }) => of === order_id,
  )
  assert.deepEqual([entry.decisions, entry.return_request.lines[0].returnable], [['reject'], 1])
  assert.deepEqual(returnable(await accept(id)), [
    ['quantity_not_returnable', { order_item_id: disc, returnable: 1, requested: 2 }],
  ])
  assert.equal((await decide(id, 'reject', { message: 'They are here.' })).status, 200)
})

test('a repeated request with its Idempotency-Key gets the first answer, also when it has been decided', async () => {
  const { order_id, disc } = await shipped()
  const lines = [{ order_item_id: disc, quantity: 1 }]
  const headers = { 'idempotency-key': `back-${order_id}` }
  const first = await ask(order_id, lines, headers)
  await accept(first.body.data.return_request_id)
  const stored = await databaseDigest(service)
  assert.deepEqual((await ask(order_id, lines, headers)).body.data, first.body.data)
  assert.deepEqual(await databaseDigest(service), stored)
  assert.notEqual((await ask(order_id, lines)).body.data.return_request_id, first.body.data.return_request_id)
})

test('a page of the inbox goes on after a return, with requests of the same moment', async () => {
  const { order_id, disc } = await shipped()
  for (let n = 0; n < 3; n++) await asked(order_id, [{ order_item_id: disc, quantity: 1 }])
  await service.sql(`update return_requests set request_datetime = '2020-01-01' where order_id = $1`, [order_id])
  const ids: number[] = []
  for (let cursor = ''; ids.length < 3;) {
    const { body } = await service.request('GET', `/operator/v1/inbox/?limit=1${cursor}`, {
      key: operators.keys.viewer,
    })
    ids.push(body.data[0].return_request.return_request_id)
    cursor = `&cursor=${String(body.paging?.next_cursor)}`
  }
  assert.deepEqual(
    ids,
    (await shown(order_id)).map((one: Record<string, unknown>) => one['return_request_id']),
  )
  assert.deepEqual(maskVolatile(ids, [anyId, anyId, anyId]), [anyId, anyId, anyId])
})
