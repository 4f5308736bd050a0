/** The commands that find things, against a real service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { order } from '../../service/src/testing/orders.ts'
import { makeWorld } from '../../service/src/testing/world.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { addFixtures } from '../../service/src/testing/fixtures.ts'
import { runParts } from './testing.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

async function parts(...args: string[]): Promise<string[][]> {
  const environment = { PARTS_URL: `http://127.0.0.1:${service.port}`, PARTS_KEY: operators.keys.viewer }
  const { code, stdout, stderr } = await runParts(args, environment)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1) // Without the head.
    .map((line) => line.split('\t'))
}

test('clients, items, prices, orders and the log are found', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  const [row] = await service.sql('select order_number::text as number from orders where order_id = $1', [order_id])
  const number = String(row?.['number'])
  const client = [String(world.me.client_id), 'Garage Weber', '3', '30.00 EUR', 'no limit']
  assert.deepEqual(await parts('clients', 'web gar'), [client])
  assert.deepEqual(
    (await parts('items', 'disc', '--missing-price', '2')).map(([item]) => item),
    ['5'],
  )
  await service.sql(`update prices set break_quantities = '{10,50}', break_prices = '{8.5,8}'
    where price_list_id = 2 and item_id = 1`)
  const disc = ['1', 'BN-280-V', 'Brake disc front 280 mm vented', '9', '10:8.5 50:8']
  assert.deepEqual((await parts('prices', '2'))[0], disc)
  await service.sql('update items set quantity_min = 4, quantity_multiple = 2 where item_id = 1')
  assert((await parts('items', 'BN-280-V'))[0]?.includes('4/2'))
  await service.sql('update items set quantity_min = 1, quantity_multiple = 1 where item_id = 1')
  for (const search of [number, 'weber', 'BN-280-V', 'berl'])
    assert.deepEqual(
      (await parts('orders', '--search', search)).map(([found]) => found),
      [number],
    )
  const [entry] = await parts('log', '--order', number)
  assert.deepEqual(entry?.slice(1), ['order.created', 'Garage Weber', number, '', `key ${world.me.key_id}`])
})

test('counts are shown', async () => {
  const shown = (await parts('counts')).map((cells) => cells.join(' ').replaceAll(/ +/g, ' '))
  assert(shown.includes('Orders: new 1'), shown.join('\n'))
  assert(shown.includes('Berlin 1 0 0'), shown.join('\n'))
})
