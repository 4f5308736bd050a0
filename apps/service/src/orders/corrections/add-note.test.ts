import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type OperatorWorld } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeOperatorWorld(service, await makeOperators(service))
})
after(() => service.close())

const eventTypes = async (): Promise<string[]> =>
  (await world.shop.ok('GET', '/api/v1/events/')).map(({ event_type }: { event_type: string }) => event_type)

test('operators see an internal note with its author everywhere, and the client sees nothing of it', async () => {
  const { shop, operators } = world
  const { order_id } = await order(world)
  const seen = async () => [await shop.ok('GET', `/api/v1/orders/${order_id}/`), await eventTypes()]
  const before_ = await seen()
  const path = `/operator/v1/orders/${order_id}/`
  await operators.ok('POST', `${path}notes/`, { text: 'Call before loading.', internal: true })
  const { notes } = await operators.ok('POST', `${path}notes/`, { text: 'Called: Tuesday.', internal: true })
  assert.deepEqual(
    notes.map(({ note_text, note_author }: Record<string, string>) => [
      note_text,
      note_author?.replaceAll(/\d+/g, 'n'),
    ]),
    [
      ['Called: Tuesday.', 'operator n key n, Test admin'],
      ['Call before loading.', 'operator n key n, Test admin'],
    ],
  )
  assert.deepEqual((await operators.ok('GET', path)).notes, notes)
  const [listed] = await operators.ok('GET', `/operator/v1/orders/?client_id=${world.me.client_id}`)
  assert.deepEqual(listed.notes, notes)
  assert.deepEqual(await seen(), before_)
  await service.checkInvariants()
})

test('any other note is an entry of the history with an event, in any state, and moves no date', async () => {
  const { shop, operators } = world
  const { order_id } = await order(world)
  await shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  const { order_update_datetime: updated } = await shop.ok('GET', `/api/v1/orders/${order_id}/`)
  const noted = await operators.ok('POST', `/operator/v1/orders/${order_id}/notes/`, {
    text: 'We are looking into it.',
    internal: false,
  })
  assert.deepEqual(noted.notes, [])
  const shown = await shop.ok('GET', `/api/v1/orders/${order_id}/`)
  const by = { actor: noted.order_history[0].actor, operator_id: noted.order_history[0].operator_id }
  assert.deepEqual(noted.order_history[0], { ...shown.order_history[0], ...by })
  const [{ group, state_id, text }] = shown.order_history
  assert.deepEqual([group, state_id, text], ['Note', 'zayavka-na-otmen', 'We are looking into it.'])
  assert.equal(shown.order_update_datetime, updated)
  const events = await shop.ok('GET', '/api/v1/events/')
  const { event_type, data } = events.at(-1)
  assert.deepEqual([event_type, data.order_history], ['order.noted', shown.order_history])
  await service.checkInvariants()
})
