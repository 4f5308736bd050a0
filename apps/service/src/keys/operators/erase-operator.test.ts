/** Who acted is an id: the name stands in `operators` alone, and an erased one nowhere. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordPerson } from './record-person.ts'
import { startSession } from '../../sessions/start-session.ts'
import { databaseDigest, rowsWith } from '../../testing/database-digest.ts'
import { addFixtures, byTheTests } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { adjustment, order } from '../../testing/orders.ts'
import { eventually } from '../../testing/process.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { makeWorld } from '../../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Colleague {
  readonly operator_id: number
  readonly key: string
  readonly send: (method: string, path: string, json?: object) => Promise<any> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
}

async function colleague(operator_name: string): Promise<Colleague> {
  const { key_id, key } = await operators.ok('POST', '/operator/v1/operator-keys/', { operator_name, role: 'admin' })
  const keys = await operators.ok('GET', '/operator/v1/operator-keys/?limit=100')
  const { operator_id } = keys.find((one: { key_id: number }) => one.key_id === key_id)
  return {
    operator_id,
    key,
    send: async (method, path, json) => {
      const { status, body, text } = await service.request(method, path, { key, json })
      assert.equal(status, 200, text)
      return body.data
    },
  }
}

const erase = ({ operator_id }: { operator_id: number }) =>
  operators.ok('POST', `/operator/v1/operators/${operator_id}/erase/`)

const nobody = 'Erased operator'

test('whatever an operator does, its name is stored once; after the erasure nowhere, and its id still says who', async () => {
  const world = { ...(await makeWorld(service)), operators }
  const { client_id } = world.me
  const xaver = await colleague('Xaver Quellmann')
  const { order_id, adjustment_id } = await adjustment(world)
  const at = `/operator/v1/orders/${order_id}/`
  await xaver.send('POST', '/operator/v1/sessions/', {})
  await xaver.send('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'No.' })
  await xaver.send('POST', `${at}notes/`, { text: 'Call first.', internal: true })
  for (const state_id of ['processing', 'fulfilling']) await xaver.send('POST', `${at}move/`, { state_id })
  const [line] = await xaver.send('GET', `${at}items/`)
  await xaver.send('POST', `${at}shipments/`, { lines: [{ order_item_id: line.order_item_id, quantity: 1 }] })
  await xaver.send('POST', `${at}returns/`, {
    lines: [{ order_item_id: line.order_item_id, quantity: 1 }],
    reason: 'Does not fit.',
    restock: true,
  })
  await xaver.send('PUT', '/operator/v1/reject-reasons/', { reasons: ['Sold out.'] })
  await xaver.send('POST', '/operator/v1/views/', { view_name: 'Held', filters: 'held=true', shared: true })
  await xaver.send('PUT', '/operator/v1/currencies/CHF/', { minor_digits: 2, rate: 1.05 })
  await xaver.send('POST', `/operator/v1/clients/${client_id}/keys/`, { contact_id: world.me.contact_id })
  assert.equal((await rowsWith(service, /Xaver/)).length, 1)

  /** Everything that shows who did something. */
  const seen = async () => ({
    order: await operators.ok('GET', at),
    log: await operators.ok('GET', `/operator/v1/log/?operator_id=${xaver.operator_id}`),
    audit: await operators.ok('GET', '/operator/v1/audit/?limit=100'),
    changes: await operators.ok('GET', '/operator/v1/catalogue-changes/'),
    reasons: await operators.ok('GET', '/operator/v1/reject-reasons/'),
    views: await operators.ok('GET', '/operator/v1/views/'),
    keys: await operators.ok('GET', '/operator/v1/operator-keys/'),
    sessions: await operators.ok('GET', '/operator/v1/sessions/'),
  })
  const before_ = JSON.stringify(await seen())
  const shown = Object.entries(await seen()).map(([name, list]) => [name, JSON.stringify(list).includes('Xaver')])
  assert.deepEqual(
    shown.filter(([, named]) => named !== true),
    [],
  )

  assert.deepEqual(await erase(xaver), {
    operator_id: xaver.operator_id,
    operator_name: nobody,
    revoked_keys: 1,
    ended_sessions: 1,
  })
  assert.deepEqual(await rowsWith(service, /Xaver|Quellmann/), [])
  const { audit, keys, sessions, ...after_ } = await seen()
  const then = JSON.parse(before_.replaceAll('Xaver Quellmann', nobody))
  const { audit: auditThen, keys: _keys, sessions: _sessions, ...others } = then
  assert.deepEqual(after_, others)
  assert.deepEqual(audit.slice(3), auditThen)
  assert.deepEqual(
    audit
      .slice(0, 3)
      .map((entry: Record<string, unknown>) => [
        entry['audit_action'],
        entry['operator_id'],
        entry['operator_name'],
        entry['actor'],
      ])
      .toSorted(),
    ['operator_erased', 'operator_key_revoked', 'session_ended'].map((action) => [
      action,
      xaver.operator_id,
      nobody,
      'operator 4 key 4, Test admin',
    ]),
  )
  for (const list of [keys, sessions])
    assert(list.some((one: Record<string, unknown>) => one['operator_id'] === xaver.operator_id))
  await eventually(async () => (await service.request('GET', at, { key: xaver.key })).status === 401)
  await service.checkInvariants()
})

test('erasing again changes nothing, and an erased operator gets no further key', async () => {
  const anna = await colleague('Anna Erased')
  const path = '/operator/v1/operator-keys/'
  const further = { operator_id: anna.operator_id, operator_name: 'Anna Renamed', role: 'viewer' }
  await operators.ok('POST', path, further)
  assert.deepEqual(await erase(anna), {
    operator_id: anna.operator_id,
    operator_name: nobody,
    revoked_keys: 2,
    ended_sessions: 0,
  })
  const stored = await databaseDigest(service)
  const again = { operator_id: anna.operator_id, operator_name: nobody, revoked_keys: 0, ended_sessions: 0 }
  assert.deepEqual(await erase(anna), again)
  const refused = await service.request('POST', path, { key: operators.keys.admin, json: further })
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [404, 'operator_not_found'])
  assert.deepEqual(await databaseDigest(service), stored)
})

test('a second key of an operator is the same operator in the log and for its views', async () => {
  const anna = await colleague('Anna Berg')
  const second = await operators.ok('POST', '/operator/v1/operator-keys/', {
    operator_id: anna.operator_id,
    operator_name: 'Anna Berg-Krause',
    role: 'admin',
  })
  const { client_id } = (await makeWorld(service)).me
  await anna.send('PATCH', `/operator/v1/clients/${client_id}/`, { client_name: 'One' })
  await anna.send('POST', '/operator/v1/views/', { view_name: 'Mine', filters: 'held=true' })
  const key: string = second.key
  const renamed = await service.request('PATCH', `/operator/v1/clients/${client_id}/`, {
    key,
    json: { client_name: 'Two' },
  })
  assert.equal(renamed.status, 200)
  const views = await service.request('GET', '/operator/v1/views/', { key })
  const own = views.body.data.filter((view: { own: boolean }) => view.own)
  assert.deepEqual(
    own.map(({ view_name, owner_name }: Record<string, string>) => [view_name, owner_name]),
    [['Mine', 'Anna Berg-Krause']],
  )
  const log = await operators.ok('GET', `/operator/v1/log/?operator_id=${anna.operator_id}`)
  const first = /^pso_(\d+)_/.exec(anna.key)?.[1]
  assert.deepEqual(
    log.map(({ actor }: { actor: string }) => actor),
    [second.key_id, first].map((key_id) => `operator ${anna.operator_id} key ${key_id}, Anna Berg-Krause`),
  )
})

const signIn = async (subject: string, operator_name: string) => {
  const operator_id = await recordPerson(service.db, { issuer: 'https://id.example', subject, operator_name })
  await startSession(service.db, {
    operator_id,
    key_id: null,
    role: 'viewer',
    sessionHours: 1,
    sessionIdleMinutes: 10,
    request_id: byTheTests.request_id,
  })
  return operator_id
}

test('an erased person who signs in again is another operator, and nothing connects the two', async () => {
  const operator_id = await signIn('xenia', 'Xenia Erstname')
  assert.equal(await signIn('xenia', 'Xenia Neuname'), operator_id)
  await erase({ operator_id })
  assert.deepEqual(await rowsWith(service, /xenia|Erstname|Neuname/i), [])
  const again = await signIn('xenia', 'Xenia Erstname')
  assert.notEqual(again, operator_id)
  const listed = await operators.ok('GET', '/operator/v1/operators/?limit=100')
  const of = (id: number) => listed.find((one: { operator_id: number }) => one.operator_id === id)
  assert.deepEqual([of(operator_id).issuer, of(operator_id).subject], ['https://id.example', null])
  assert.deepEqual([of(again).operator_name, of(again).subject], ['Xenia Erstname', 'xenia'])
})

test('sign-ins that race an erasure leave no name and no session of the erased operator', async () => {
  for (let round = 0; round < 10; round++) {
    const operator_id = await signIn(`xerxes-${round}`, 'Xerxes')
    await Promise.all([
      erase({ operator_id }),
      ...[1, 2, 3].map(() => signIn(`xerxes-${round}`, 'Xerxes').catch(() => undefined)),
    ])
    const [open] = await service.sql(
      `select count(*)::int as open from operator_sessions where operator_id = $1 and ended_at is null`,
      [operator_id],
    )
    assert.deepEqual(open, { open: 0 })
    const [row] = await service.sql('select operator_name, subject from operators where operator_id = $1', [
      operator_id,
    ])
    assert.deepEqual(row, { operator_name: null, subject: null })
  }
})

test('after its events have expired, the history of an order still says who', async () => {
  const world = { ...(await makeWorld(service)), operators }
  const { order_id } = await order(world)
  const at = `/operator/v1/orders/${order_id}/`
  await operators.ok('POST', `${at}move/`, { state_id: 'processing' })
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  await service.sql('delete from events where order_id = $1', [order_id])
  assert.deepEqual(await operators.ok('GET', `/operator/v1/log/?order_id=${order_id}`), [])
  const { order_history } = await operators.ok('GET', at)
  assert.deepEqual(
    order_history.map((entry: Record<string, unknown>) => [entry['state_id'], entry['actor'], entry['operator_id']]),
    [
      ['zayavka-na-otmen', `key ${world.me.key_id}`, null],
      ['processing', 'operator 4 key 4, Test admin', 4],
      ['new', `key ${world.me.key_id}`, null],
    ],
  )
  const own = await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)
  for (const entry of own.order_history)
    assert.deepEqual(Object.keys(entry), ['date', 'group', 'value', 'state_id', 'text'])
})

test('history that was written before actors were recorded is shown without one', async () => {
  const world = { ...(await makeWorld(service)), operators }
  const { order_id } = await order(world)
  await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
  const actors = async () =>
    (await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_history.map(
      (entry: Record<string, unknown>) => entry['actor'],
    )
  await service.sql('update order_history set actor = null where order_id = $1 and entry = 1', [order_id])
  assert.deepEqual(await actors(), ['operator 4 key 4, Test admin', null])
  await service.sql('update order_history set actor = null where order_id = $1', [order_id])
  assert.deepEqual(await actors(), [null, null])
})
