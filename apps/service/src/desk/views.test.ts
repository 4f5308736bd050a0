import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import type { Role } from '../identity/actor.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const path = '/operator/v1/views/'
const send = (role: Role, method: string, json?: object, at = path) =>
  service.request(method, at, { key: operators.keys[role], json })
const namesFor = async (role: Role): Promise<string[]> =>
  (await send(role, 'GET')).body.data.map(({ view_name }: { view_name: string }) => view_name)
const stored = () => service.sql('select view_name, filters, shared from operator_views order by view_id')

test('a view is seen by its owner; a shared one by all, and changed by its owner and admins only', async () => {
  const { body } = await send('decider', 'POST', { view_name: 'Mine', filters: 'held=true' })
  const at = `${path}${body.data.view_id}/`
  assert.deepEqual([await namesFor('decider'), await namesFor('admin')], [['Mine'], []])
  assert.equal((await send('admin', 'PATCH', { view_name: 'Theirs' }, at)).body.errors[0]?.code, 'view_not_found')
  assert.equal((await send('admin', 'DELETE', undefined, at)).body.errors[0]?.code, 'view_not_found')

  assert.equal((await send('decider', 'PATCH', { shared: true }, at)).status, 200)
  assert.deepEqual([await namesFor('viewer'), await namesFor('admin')], [['Mine'], ['Mine']])
  const seen = async (role: Role) => {
    const [view] = (await send(role, 'GET')).body.data
    return [view.own, view.changeable, view.owner_name]
  }
  assert.deepEqual(await seen('decider'), [true, true, 'Test decider'])
  assert.deepEqual(await seen('viewer'), [false, false, 'Test decider'])
  assert.deepEqual(await seen('admin'), [false, true, 'Test decider'])
  assert.equal((await send('viewer', 'PATCH', { shared: false }, at)).status, 403)
  assert.equal((await send('viewer', 'DELETE', undefined, at)).status, 403)
  assert.deepEqual(await stored(), [{ view_name: 'Mine', filters: 'held=true', shared: true }])

  assert.equal((await send('admin', 'PATCH', { view_name: 'Held' }, at)).body.data.view_name, 'Held')
  assert.equal((await send('admin', 'DELETE', undefined, at)).status, 200)
  assert.deepEqual(await stored(), [])
})

test('a view of an operator is found in every session of the same key', async () => {
  await send('cataloguer', 'POST', { view_name: 'By key', filters: 'short=true' })
  const { headers } = await send('cataloguer', 'POST', {}, '/operator/v1/sessions/')
  const cookie = (headers['set-cookie'] ?? []).join('; ').split(';')[0] ?? ''
  const { body } = await service.request('GET', path, { headers: { cookie } })
  assert.deepEqual(
    body.data.map(({ view_name, own }: { view_name: string; own: boolean }) => [view_name, own]),
    [['By key', true]],
  )
  await service.sql('delete from operator_views')
})

test('saving the same view again, also at the same time, changes nothing and gives the same answer', async () => {
  const view = { view_name: 'Twice', filters: 'state=new&stock_id=1' }
  const answers = await Promise.all(Array.from({ length: 16 }, () => send('viewer', 'POST', view)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.deepEqual(await stored(), [{ ...view, shared: false }])
  // Another operator may use the same name.
  assert.equal((await send('decider', 'POST', { ...view, filters: 'held=true' })).status, 200)
  await service.sql('delete from operator_views')
})

test('filters that the list of orders would refuse are refused, and nothing is stored', async () => {
  for (const filters of [
    'colour=red',
    'state=lost',
    'state=new&state=processing',
    'limit=5',
    'cursor=abc',
    'ship_to=2026-02-30',
    'held=maybe',
    'search=',
    '__proto__=1',
    `search=${'x'.repeat(1_000)}`,
    'search=%00',
  ]) {
    const { status, body } = await send('viewer', 'POST', { view_name: 'Bad', filters })
    assert.deepEqual([status, body.errors[0]?.code, body.errors[0]?.field], [400, 'field_invalid', 'filters'], filters)
  }
  assert.deepEqual(await stored(), [])
})

test('every saved query is accepted by the list of orders, as it is stored', async () => {
  const filters = 'state=new,processing&search=gro%C3%9F+%26+klein&ship_from=2026-11-01&held=false&sort=created'
  const { body } = await send('viewer', 'POST', { view_name: 'Many', filters })
  assert.equal(
    body.data.filters,
    'state=new%2Cprocessing&search=gro%C3%9F+%26+klein&ship_from=2026-11-01&held=false&sort=created',
  )
  assert.equal((await send('viewer', 'GET', undefined, `/operator/v1/orders/?${body.data.filters}`)).status, 200)
  await service.sql('delete from operator_views')
})

test('reasons are kept in their order; repeated, empty, too long or too many ones are refused', async () => {
  const at = '/operator/v1/reject-reasons/'
  const read = async () => (await send('viewer', 'GET', undefined, at)).body.data.reasons
  assert.deepEqual(await read(), [])
  const reasons = ['Zu spät.', 'Sold out, {"sorry"}', "It's loaded."]
  await operators.ok('PUT', at, { reasons })
  for (const bad of [
    ['a', 'a'],
    [''],
    ['x'.repeat(501)],
    [7],
    'a',
    Array.from({ length: 21 }, (_, n) => `Reason ${n}`),
  ])
    assert.equal((await send('admin', 'PUT', { reasons: bad }, at)).status, 400, JSON.stringify(bad).slice(0, 40))
  assert.deepEqual(await read(), reasons)
  await operators.ok('PUT', at, { reasons: [] })
  assert.deepEqual(await read(), [])
})
