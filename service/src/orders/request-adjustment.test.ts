/** Requests to change a line's quantity: repeated, superseded, and withdrawn by asking for the current quantity. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../testing/database-digest.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../testing/operators.ts'
import { adjustmentView, order, orderOfLines } from '../testing/orders.ts'
import { maskVolatile } from '../testing/mask-volatile.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addFixtures } from '../testing/fixtures.ts'

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

const codeOf = ({ status, body }: Answer): [number, string | undefined] => [status, body.errors?.[0]?.code]

test('asking for the current quantity withdraws the open request, and the distributor can no longer accept it', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  const { adjustment_id } = (await ask(world, line, { quantity: 5 })).body.data
  const events = await world.shop.ok('GET', '/api/v1/events/')

  const withdrawn = await ask(world, line, { quantity: 3 })
  const expected = {
    ...adjustmentView(line.order_id, adjustment_id),
    adjustment_status: 'CANCELED',
    adjustment_canceled_message: 'Withdrawn by the client.',
  }
  assert.deepEqual(maskVolatile(withdrawn.body.data, expected), expected)

  const recorded = await world.shop.ok('GET', `/api/v1/events/?after=${events.length}`)
  assert.deepEqual(
    recorded.map(({ event_type, order_id, data }: { event_type: string; order_id: number; data: object }) => [
      event_type,
      order_id,
      data,
    ]),
    [
      [
        'adjustment.decided',
        line.order_id,
        await world.shop.ok('GET', `/api/v1/orders/${line.order_id}/adjustments/${adjustment_id}/?include=request`),
      ],
    ],
  )
  const digest = await databaseDigest(service)
  const accepted = await accept(adjustment_id)
  assert.deepEqual(codeOf(accepted), [409, 'adjustment_decided'])
  assert.deepEqual(accepted.body.errors[0]?.details, {
    adjustment_id,
    adjustment_status: 'CANCELED',
    adjustment_canceled_message: 'Withdrawn by the client.',
  })
  assert.deepEqual(await databaseDigest(service), digest)
  await service.checkInvariants()
})

test('with no open request, asking for the current quantity is refused and changes nothing', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  await ask(world, line, { quantity: 5 })
  await ask(world, line, { quantity: 3 })
  const digest = await databaseDigest(service)
  const again = await ask(world, line, { quantity: 3 })
  assert.deepEqual(codeOf(again), [409, 'quantity_unchanged'])
  assert.deepEqual(again.body.errors[0]?.details, { order_item_id: line.order_item_id, quantity: 3 })
  assert.deepEqual(await databaseDigest(service), digest)
})

test('a withdrawal leaves the open requests of other lines open', async () => {
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

test('after an accepted request, the old quantity is a new request and the new one is unchanged', async () => {
  const world = await makeOperatorWorld(service, operators)
  const line = await order(world)
  await accept((await ask(world, line, { quantity: 5 })).body.data.adjustment_id)
  assert.deepEqual(codeOf(await ask(world, line, { quantity: 5 })), [409, 'quantity_unchanged'])
  const back = (await ask(world, line, { quantity: 3 })).body.data
  assert.equal(back.adjustment_status, 'WAIT')
  assert.equal(
    (await ask(world, line, { quantity: 5 })).body.data.adjustment_canceled_message,
    'Withdrawn by the client.',
  )
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
