/** A change says which figure its caller was shown. The refusals of each operation are in the cases of its routes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

test('a price, a level and a limit that were set are set again without a refusal: the first answer may have been lost', async () => {
  const { me } = await makeOperatorWorld(service, operators)
  const contract = `/operator/v1/clients/${me.client_id}/contracts/${me.limited_contract_id}/`
  for (const [method, path, change] of [
    ['PUT', '/operator/v1/price-lists/1/prices/1/', { price: 11, expected: 10 }],
    ['PUT', '/operator/v1/stock-levels/1/1/', { on_hand: 150, expected: await onHand() }],
    ['PATCH', contract, { contract_limit: 1100, expected: 1000 }],
    ['PATCH', contract, { contract_limit: 0, expected: 1100, confirmed: true }],
  ] as const) {
    const [first, again] = [await operators.ok(method, path, change), await operators.ok(method, path, change)]
    const changed = 'outcome' in first ? { outcome: 'unchanged' } : {}
    assert.deepEqual(again, { ...first, ...changed })
  }
  await service.checkInvariants()
})

test('a figure that is not there yet is not the one that was shown', async () => {
  await service.sql('delete from prices where price_list_id = 3 and item_id = 2')
  const set = (expected: number) =>
    service.request('PUT', '/operator/v1/price-lists/3/prices/2/', {
      key: operators.keys.cataloguer,
      json: { price: 4, expected },
    })
  const { status, body } = await set(4.5)
  assert.deepEqual(
    [status, body.errors[0]?.message, body.errors[0]?.details],
    [409, 'The price is not set, and 4.5 was expected.', { figure: 'price', expected: 4.5, present: null }],
  )
  assert.deepEqual(await service.sql('select from prices where price_list_id = 3 and item_id = 2'), [])
})

test('`expected` and `confirmed` alone change nothing, and are refused', async () => {
  const { me } = await makeOperatorWorld(service, operators)
  const path = `/operator/v1/clients/${me.client_id}/contracts/${me.contract_id}/`
  const { status, body } = await service.request('PATCH', path, {
    key: operators.keys.admin,
    json: { expected: 0, confirmed: true },
  })
  assert.deepEqual([status, body.errors[0]?.code], [400, 'nothing_to_change'])
})

async function onHand(): Promise<number> {
  const [row] = await service.sql('select on_hand from stock_levels where stock_id = 1 and item_id = 1')
  return Number(row?.['on_hand'])
}
