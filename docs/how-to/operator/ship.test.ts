/** Runs the commands of docs/how-to/operator/ship.md, in order. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { commandsOf } from '../../testing/guide-blocks.ts'
import type { PickedOrder } from '../../../apps/service/src/orders/printing/list-pick-list.ts'
import type { OperatorOrder } from '../../../apps/service/src/orders/operator-order.ts'
import { addFixtures } from '../../../apps/service/src/testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type OperatorWorld } from '../../../apps/service/src/testing/operators.ts'
import { order } from '../../../apps/service/src/testing/orders.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('ship.md', import.meta.url), 'utf8')
const commands = commandsOf(page)

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

/** An order of three brake discs that can be shipped. */
async function fulfilled(world: OperatorWorld): Promise<{ order_id: number; order_item_id: number }> {
  const placed = await order(world)
  for (const state_id of ['processing', 'fulfilling'])
    await world.operators.ok('POST', `/operator/v1/orders/${placed.order_id}/move/`, { state_id })
  return placed
}

test('the commands list what is to be picked, ship a whole order, a part of another, and close its rest', async () => {
  const operators = await makeOperators(service)
  const world = await makeOperatorWorld(service, operators)
  const [whole, part] = [await fulfilled(world), await fulfilled(world)]
  const env = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: operators.keys.decider,
    WHOLE_ORDER: String(whole.order_id),
    ORDER: String(part.order_id),
    LINE: String(part.order_item_id),
  }
  const dataOf = async <T = OperatorOrder>(command = 'exit 1'): Promise<T> => {
    const { stdout } = await run('bash', ['-euc', command], { env })
    return (JSON.parse(stdout) as { data: T }).data
  }
  const shown = ({ order_state_id, items, shipments }: OperatorOrder): unknown[] => [
    order_state_id,
    items.map(({ order_item_shipped, order_item_open }) => [order_item_shipped, order_item_open]),
    shipments.map(({ carrier, tracking }) => [carrier, tracking]),
  ]
  assert.equal(commands.length, 4)
  const [pick, everything, some, close] = commands
  const picked = (await dataOf<PickedOrder[]>(pick)).map(({ order_id, lines }) => [order_id, lines[0]?.quantity])
  assert.deepEqual(picked, [[whole.order_id, 3], [part.order_id, 3]]) // prettier-ignore
  assert.deepEqual(shown(await dataOf(everything)), ['shipped', [[3, 0]], [['DHL', '00340434161094015902']]])
  assert.deepEqual(shown(await dataOf(some)), ['fulfilling', [[2, 1]], [['DHL', null]]])
  assert.deepEqual(shown(await dataOf(close)), ['shipped', [[2, 0]], [['DHL', null]]])
  await service.checkInvariants()
})
