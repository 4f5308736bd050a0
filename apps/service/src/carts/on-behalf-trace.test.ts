/** What an operator does with a client's cart leaves an audit entry with the old and the new value; the client's own work none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { makeWorld } from '../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const entriesOf = async (client_id: number): Promise<unknown[]> =>
  (await operators.ok('GET', `/operator/v1/audit/?after=0&client_id=${client_id}&limit=500`))
    .filter(({ audit_action }: { audit_action: string }) => audit_action.startsWith('cart'))
    .map((entry: Record<string, unknown>) => [
      entry['audit_action'],
      entry['subject'],
      entry['old_value'],
      entry['new_value'],
    ])

test('each change of a cart on behalf of a client leaves the old and the new value', async () => {
  const { me } = await makeWorld(service)
  const carts = `/operator/v1/clients/${me.client_id}/carts/`
  const { cart_id } = await operators.ok('POST', carts, { name: 'Weekly' })
  const cart = `${carts}${cart_id}/`
  await operators.ok('POST', `${cart}rename/`, { name: 'Monthly' })
  await operators.ok('POST', `${cart}rename/`, { name: 'Monthly' }) // Changes nothing.
  const line = { item_id: 1, stock_id: 1, quantity: 2 }
  const { cart_item_id } = await operators.ok('POST', `${cart}items/`, line)
  await operators.ok('POST', `${cart}items/`, line)
  const { rows } = await operators.ok('POST', `${cart}items/bulk/`, {
    rows: [
      { item_id: 1, stock_id: 1, quantity: 5 },
      { item_id: 2, stock_id: 1, quantity: 1 },
    ],
  })
  const second = rows[1].cart_item_id
  await operators.ok('POST', `${cart}items/bulk/?dry_run=true`, { rows: [{ item_id: 2, stock_id: 1, quantity: 1 }] })
  await operators.ok('PATCH', `${cart}items/${cart_item_id}/`, { quantity: 7 })
  await operators.ok('PATCH', `${cart}items/${cart_item_id}/`, { quantity: 7 }) // Changes nothing.
  await operators.ok('DELETE', `${cart}items/${second}/`)
  await operators.ok('DELETE', cart)

  const [contract] = await service.sql('select contract_id::int from contracts where client_id = $1 and contract_default', [me.client_id]) // prettier-ignore
  const contract_id = contract?.['contract_id']
  const of = (more: object = {}): object => ({ cart_id, ...more })
  const first = { cart_item_id, item_id: 1 }
  assert.deepEqual(await entriesOf(me.client_id), [
    ['cart_created', of(), null, { cart_name: 'Weekly' }],
    ['cart_renamed', of(), { cart_name: 'Weekly' }, { cart_name: 'Monthly' }],
    ['cart_item_added', of({ ...first, stock_id: 1, contract_id }), null, { quantity: 2 }],
    ['cart_item_added', of({ ...first, stock_id: 1, contract_id }), { quantity: 2 }, { quantity: 4 }],
    ['cart_items_added', of(), { [cart_item_id]: 4 }, { [cart_item_id]: 9, [second]: 1 }],
    ['cart_item_changed', of(first), { quantity: 9 }, { quantity: 7 }],
    ['cart_item_removed', of({ cart_item_id: second, item_id: 2 }), { quantity: 1 }, null],
    [
      'cart_deleted',
      of(),
      { cart_name: 'Monthly', lines: [{ item_id: 1, stock_id: 1, contract_id, quantity: 7 }] },
      null,
    ],
  ])
})

test("the client's own work leaves no audit entry, and a repeated request of an operator one", async () => {
  const { me, shop } = await makeWorld(service)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.ok('PATCH', `/api/v1/carts/${cart_id}/`, { name: 'Mine' })
  await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  assert.deepEqual(await entriesOf(me.client_id), [])
  for (let n = 0; n < 3; n++) {
    const { status } = await service.request('POST', `/operator/v1/clients/${me.client_id}/carts/`, {
      key: operators.keys.decider,
      json: { name: 'Once' },
      headers: { 'idempotency-key': `once-${me.client_id}` },
    })
    assert.equal(status, 200)
  }
  assert.equal((await entriesOf(me.client_id)).length, 1)
})
