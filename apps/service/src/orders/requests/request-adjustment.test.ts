/** Requests to change a line's quantity: repeated, superseded, and for the quantity that the line has. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { adjustmentView, order, orderOfLines } from '../../testing/orders.ts'
import { maskVolatile } from '../../testing/mask-volatile.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Line {
  readonly order_id: number
  readonly order_item_id: number
}

const ask = (
  { me }: OperatorWorld,
  { order_id, order_item_id }: Line,
  form: { quantity: number; reason?: string },
): Promise<Answer> =>
  service.request('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { key: me.key, form })

const accept = (adjustment_id: number): Promise<Answer> =>
  service.request('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`, { key: operators.keys.decider })

const adjustmentPath = ({ order_id }: Line, adjustment_id: number): string =>
  `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/?include=request`

const codeOf = ({ status, body }: Answer): [number, string | undefined] => [status, body.errors?.[0]?.code]

type EventData = { readonly event_type: string; readonly order_id: number; readonly data: object }

test('asking for the current quantity is answered as a request that waits, and is accepted at once', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const before = await world.shop.ok('GET', `/api/v1/orders/${line.order_id}/?include=items`)
  const known = await world.shop.ok('GET', '/api/v1/events/')

  const asked = await ask(world, line, { quantity: 3, reason: 'To be sure.' })
  const { adjustment_id } = asked.body.data
  const created = adjustmentView(line.order_id, adjustment_id)
  assert.deepEqual(maskVolatile(asked.body.data, created), created)

  const read = await world.shop.ok('GET', adjustmentPath(line, adjustment_id))
  const accepted = {
    ...created,
    adjustment_status: 'ACCEPTED',
    request: {
      order_item_id: line.order_item_id,
      requested_quantity: 3,
      quantity_before: 3,
      reason: 'To be sure.',
      decided_by: 'service',
      decided_at: read.adjustment_date_create,
    },
  }
  assert.deepEqual(maskVolatile(read, accepted), accepted)
  assert.deepEqual(await world.shop.ok('GET', `/api/v1/orders/${line.order_id}/?include=items`), before)

  const recorded: EventData[] = await world.shop.ok('GET', `/api/v1/events/?after=${known.length}`)
  assert.deepEqual(
    recorded.map(({ event_type, order_id, data }) => [event_type, order_id, data]),
    [
      [
        'adjustment.created',
        line.order_id,
        {
          ...read,
          adjustment_status: 'WAIT',
          request: { ...accepted.request, decided_by: null, decided_at: null },
        },
      ],
      ['adjustment.decided', line.order_id, read],
    ],
  )
  const inbox = await service.request('GET', '/operator/v1/inbox/?limit=500', { key: operators.keys.decider })
  assert.deepEqual(
    inbox.body.data.filter(({ order_id }: { order_id: number }) => order_id === line.order_id),
    [],
  )
  const digest = await databaseDigest(service)
  const decided = await accept(adjustment_id)
  assert.deepEqual(codeOf(decided), [409, 'adjustment_decided'])
  assert.deepEqual(await databaseDigest(service), digest)
  await service.checkInvariants()
})

test('asking for the current quantity supersedes an open request, which the distributor can no longer accept', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const open = (await ask(world, line, { quantity: 0 })).body.data.adjustment_id
  const known = await world.shop.ok('GET', '/api/v1/events/')

  const asked = await ask(world, line, { quantity: 3 })
  const successor = asked.body.data.adjustment_id
  assert.equal(asked.body.data.adjustment_status, 'WAIT')
  const superseded = {
    ...adjustmentView(line.order_id, open),
    adjustment_status: 'CANCELED',
    adjustment_canceled_message: `Superseded by adjustment ${successor}.`,
  }
  const found = await world.shop.ok('GET', `/api/v1/orders/${line.order_id}/adjustments/${open}/`)
  assert.deepEqual(maskVolatile(found, superseded), superseded)

  const recorded: EventData[] = await world.shop.ok('GET', `/api/v1/events/?after=${known.length}`)
  assert.deepEqual(
    recorded.map(({ event_type, data }) => [event_type, data]),
    [
      ['adjustment.decided', await world.shop.ok('GET', adjustmentPath(line, open))],
      ['adjustment.created', recorded[1]?.data],
      ['adjustment.decided', await world.shop.ok('GET', adjustmentPath(line, successor))],
    ],
  )
  const digest = await databaseDigest(service)
  const accepted = await accept(open)
  assert.deepEqual(codeOf(accepted), [409, 'adjustment_decided'])
  assert.deepEqual(accepted.body.errors[0]?.details, {
    adjustment_id: open,
    adjustment_status: 'CANCELED',
    adjustment_canceled_message: `Superseded by adjustment ${successor}.`,
  })
  assert.deepEqual(await databaseDigest(service), digest)
  await service.checkInvariants()
})

test('repeated while it is the newest of its line, a request for the current quantity returns the same and records nothing', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const first = await ask(world, line, { quantity: 3 })
  const digest = await databaseDigest(service)
  const again = await ask(world, line, { quantity: 3, reason: 'Again.' })
  assert.equal(again.text, first.text)
  assert.deepEqual(await databaseDigest(service), digest)

  await ask(world, line, { quantity: 5 })
  const later = await ask(world, line, { quantity: 3 })
  assert.equal(later.body.data.adjustment_status, 'WAIT')
  assert.notEqual(later.body.data.adjustment_id, first.body.data.adjustment_id)
  await service.checkInvariants()
})

test('a request for the current quantity leaves the open requests of other lines open', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  const [first, second] = [
    { order_id, order_item_id: lineOf(1) },
    { order_id, order_item_id: lineOf(2) },
  ]
  await ask(world, first, { quantity: 5 })
  const { adjustment_id } = (await ask(world, second, { quantity: 5 })).body.data
  await ask(world, first, { quantity: 3 })
  assert.equal((await accept(adjustment_id)).status, 200)
  await service.checkInvariants()
})

test('a request that is repeated after it was accepted returns the same and records nothing; the old quantity is a new one', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const raised = await ask(world, line, { quantity: 5 })
  await accept(raised.body.data.adjustment_id)
  const digest = await databaseDigest(service)
  assert.equal((await ask(world, line, { quantity: 5 })).text, raised.text)
  assert.deepEqual(await databaseDigest(service), digest)
  const back = (await ask(world, line, { quantity: 3 })).body.data
  const read = await world.shop.ok('GET', adjustmentPath(line, back.adjustment_id))
  assert.equal(read.adjustment_status, 'WAIT')
})

test('after an operator changed the line, a request for its present quantity is a new one', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const first = (await ask(world, line, { quantity: 2 })).body.data.adjustment_id
  const path = `/operator/v1/orders/${line.order_id}/items/${line.order_item_id}/`
  await operators.ok('PATCH', path, { quantity: 2, reason: 'One is damaged.' })
  const asked = (await ask(world, line, { quantity: 2 })).body.data
  assert.notEqual(asked.adjustment_id, first)
  const statuses = await Promise.all(
    [first, asked.adjustment_id].map(
      async (id) => (await world.shop.ok('GET', adjustmentPath(line, id))).adjustment_status,
    ),
  )
  assert.deepEqual(statuses, ['CANCELED', 'ACCEPTED'])
  await service.checkInvariants()
})

test('a request keeps its reason; repeating it with another reason returns it and records nothing', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const reason = `Ordered twice, ${'ü'.repeat(185)}`
  assert.equal(reason.length, 200)
  const first = await ask(world, line, { quantity: 5, reason })
  const { adjustment_id } = first.body.data
  const digest = await databaseDigest(service)
  assert.equal((await ask(world, line, { quantity: 5, reason: 'Another.' })).text, first.text)
  assert.equal((await ask(world, line, { quantity: 5 })).text, first.text)
  const tooLong = await ask(world, line, { quantity: 4, reason: `${reason}!` })
  assert.deepEqual([tooLong.status, tooLong.body.errors[0]?.field], [400, 'reason'])
  assert.deepEqual(await databaseDigest(service), digest)
  const [stored] = await service.sql('select reason from adjustments where adjustment_id = $1', [adjustment_id])
  assert.equal(stored?.['reason'], reason)
})

test('a line that was removed can no longer be adjusted', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, lineOf } = await orderOfLines(world, [
    { item_id: 1, quantity: 3 },
    { item_id: 2, quantity: 4 },
  ])
  const line = { order_id, order_item_id: lineOf(1) }
  await accept((await ask(world, line, { quantity: 0 })).body.data.adjustment_id)
  const digest = await databaseDigest(service)
  for (const quantity of [0, 3]) {
    const answer = await ask(world, line, { quantity })
    assert.deepEqual(codeOf(answer), [404, 'order_item_not_found'])
  }
  assert.deepEqual(await databaseDigest(service), digest)
})
