/** Runs the commands of the operator pages, in order, against a service with open requests. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { commandsOf } from '../../testing/guide-blocks.ts'
import { webhook } from '../../../apps/service/src/testing/network/endpoints.ts'
import { makeOperators } from '../../../apps/service/src/testing/operators.ts'
import { virtualOrder, adjustment, order, requestedReturn } from '../../../apps/service/src/testing/orders.ts'
import { makeWorld, type World } from '../../../apps/service/src/testing/world.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'
import { addFixtures } from '../../../apps/service/src/testing/fixtures.ts'

const run = promisify(execFile)
const pages = [
  'orders.md',
  'order-for-clients.md',
  'correct-orders.md',
  'hold-and-block.md',
  'clients.md',
  'goods.md',
  'count-stock.md',
  'find.md',
  'monitor.md',
]
const text = pages.map((page) => readFileSync(new URL(page, import.meta.url), 'utf8')).join('\n')
const commands = commandsOf(text)

let service: TestService
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

async function orderWithCancellationRequest(): Promise<string> {
  const { order_id } = await order(world)
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  return String(order_id)
}

test('every command of the operator pages succeeds and has the documented effect', async () => {
  assert.equal(commands.length, 100)
  const operators = await makeOperators(service)
  const erased = await operators.ok('POST', `/operator/v1/clients/${world.me.client_id}/contacts/`, {
    contact_name: 'Former employee',
  })
  const [corrected, cancelled] = [await order(world), await order(world)]
  await operators.ok('POST', `/operator/v1/orders/${cancelled.order_id}/move/`, { state_id: 'canceled', text: 'Oh.' })
  const shipped = await order(world)
  for (const state_id of ['processing', 'fulfilling', 'shipped'])
    await operators.ok('POST', `/operator/v1/orders/${shipped.order_id}/move/`, { state_id })
  const back = await requestedReturn(world)
  const environment = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: operators.keys.admin,
    CLIENT: String(world.me.client_id),
    CONTACT: String(world.me.contact_id),
    ERASED_CONTACT: String(erased.contact_id),
    WEBHOOK: String(await webhook(world)),
    CONTRACT: String(world.me.contract_id),
    CLIENT_KEY: String(world.me.key_id),
    ORDER_TO_CANCEL: await orderWithCancellationRequest(),
    ORDER_TO_KEEP: await orderWithCancellationRequest(),
    ADJUSTMENT_TO_ACCEPT: String((await adjustment(world)).adjustment_id),
    ADJUSTMENT_TO_REJECT: String((await adjustment(world)).adjustment_id),
    ORDER_TO_MOVE: String((await order(world)).order_id),
    SHORT_STOCK: '1',
    SHORT_ITEM: '1',
    ORDER_TO_HOLD: String((await order(world)).order_id),
    ORDER_TO_CORRECT: String(corrected.order_id),
    LINE: String(corrected.order_item_id),
    SHIPPED_ORDER: String(shipped.order_id),
    SHIPPED_LINE: String(shipped.order_item_id),
    RETURN_ORDER: String(back.order_id),
    RETURN_LINE: String(back.order_item_id),
    RETURN_REQUEST: String(back.return_request_id),
    CANCELLED_ORDER: String(cancelled.order_id),
    SHIPPING_DATE: Temporal.Now.plainDateISO('UTC').add({ days: 7 }).toString(),
    CART: String(await world.shop.createCart()),
    VIRTUAL_ORDER: String(await virtualOrder({ ...world, operators }, { item_id: 1, quantity: 3 })),
  }
  for (const command of commands) {
    const { stdout } = await run('bash', ['-euc', command], { env: environment })
    assert.equal((JSON.parse(stdout) as { status: string }).status, 'ok', `${command}\n${stdout}`)
  }
  const states = await service.sql('select order_id::text as id, order_state_id as state from orders')
  const stateOf = (id: string): unknown => states.find((row) => row['id'] === id)?.['state']
  const { ORDER_TO_CANCEL, ORDER_TO_KEEP, ORDER_TO_MOVE, ORDER_TO_CORRECT, CANCELLED_ORDER } = environment
  assert.deepEqual([ORDER_TO_CANCEL, ORDER_TO_KEEP, ORDER_TO_MOVE, ORDER_TO_CORRECT, CANCELLED_ORDER].map(stateOf), [
    'canceled',
    'new',
    'fulfilling',
    'new',
    'new',
  ])
  assert.deepEqual(await service.sql('select order_id from orders where virtual'), [])
  assert.deepEqual(await service.sql('select virtual from carts where cart_id = $1', [environment.CART]), [
    { virtual: true },
  ])
  const adjustments = await service.sql('select adjustment_status as status from adjustments order by adjustment_id')
  assert.deepEqual(
    adjustments.map(({ status }) => status),
    ['ACCEPTED', 'CANCELED'],
  )
  await service.checkInvariants()
})
