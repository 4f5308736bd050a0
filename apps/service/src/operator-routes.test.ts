import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operatorSideRoutes, type FeatureParts } from './app.ts'
import { readConfig } from './config.ts'
import { roleNames, roles, type Role } from './identity/actor.ts'
import type { Route } from './http/routing/route.ts'
import { refusals, type RefusalCode } from './vocabulary/refusals.ts'
import { maskVolatile } from './testing/mask-volatile.ts'
import { databaseDigest } from './testing/database-digest.ts'
import { operatorRouteCases } from './route-cases.ts'
import {
  expectedKey,
  keyForm,
  makeOperators,
  makeOperatorWorld,
  sendAsOperator,
  neverIssuedKey,
  type Operators,
  type OperatorRequest,
} from './testing/operators.ts'
import { expectTrace, withoutTrace } from './testing/traces.ts'
import { startService, type Answer, type TestService } from './testing/service.ts'
import { addClient, addFixtures } from './testing/fixtures.ts'

let service: TestService
let operators: Operators
const routes = operatorSideRoutes({ config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts)
/** How traces name the operator of each role: as the saving of a view does, which every role may. */
const actors = {} as Record<Role, string>
async function actorOf(role: Role): Promise<string> {
  const json = { view_name: 'Mine', filters: 'held=true' }
  const { headers } = await service.request('POST', '/operator/v1/views/', { key: operators.keys[role], json })
  const rows = await service.sql('select actor from audit_entries where request_id = $1', [headers['x-request-id']])
  assert.equal(rows.length, 1)
  const actor = String(rows[0]?.['actor'])
  assert.match(actor, /^operator /)
  return actor
}
const nameOf = ({ method, path }: Route): string => `${method} ${path}`

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  for (const role of roleNames) actors[role] = await actorOf(role)
})
after(() => service.close())

const send = (route: Route, request: OperatorRequest, key?: string): Promise<Answer> =>
  sendAsOperator(service, route.method, request, key)

test('every operator route has its cases, every case its route, and every declared refusal its case', () => {
  assert.deepEqual(routes.map(nameOf).toSorted(), Object.keys(operatorRouteCases).toSorted())
  for (const route of routes) {
    const cases = Object.keys(operatorRouteCases[nameOf(route)]?.refusals ?? {})
    assert.deepEqual(cases.toSorted(), route.refusals.toSorted(), nameOf(route))
  }
})

for (const route of routes) {
  const cases = operatorRouteCases[nameOf(route)]
  if (cases === undefined) continue
  const allowed = roleNames.filter((role) => roles[role].includes(route.permission ?? 'administer'))

  test(`${nameOf(route)} answers with exactly the promised data, in both path forms, to ${allowed.join(', ')}`, async () => {
    for (const role of allowed) {
      for (const form of [(path: string) => path, (path: string) => path.replace(/\/(?=$|\?)/, '')]) {
        const { data, ...request } = await cases.success(await makeOperatorWorld(service, operators, role))
        const answer = await send(route, { ...request, path: form(request.path) }, operators.keys[role])
        assert.equal(answer.status, 200, answer.text)
        if (keyForm.test(answer.body.data?.key)) answer.body.data.key = expectedKey
        const { paging } = answer.body
        const isPage: boolean = /[?&](limit|cursor)=/.test(request.path) || typeof paging?.next_cursor === 'string'
        assert.equal(paging !== undefined, route.paged === true && isPage)
        assert.deepEqual(maskVolatile(answer.body.data, data), data)
        if (route.method !== 'GET') await expectTrace(service, route, actedBy(role, answer))
      }
    }
    await service.checkInvariants()
  })

  for (const [code, refusal] of Object.entries(cases.refusals)) {
    test(`${nameOf(route)} refuses with ${code} and changes nothing`, async (t) => {
      const { details, more = [], settings, ...request } = await refusal(await makeOperatorWorld(service, operators))
      const refusing = settings === undefined ? service : await startService({ settings })
      if (refusing !== service) t.after(() => refusing.close())
      const { keys } = refusing === service ? operators : await makeOperators(refusing)
      const stored = await databaseDigest(refusing)
      const answer = await sendAsOperator(refusing, route.method, request, keys.admin)
      assert.equal(answer.status, refusals[code as RefusalCode].status, answer.text)
      assert.deepEqual(
        answer.body.errors.map(({ code: found, details: of }, n) => ({
          code: found,
          details: n === 0 ? maskVolatile(of, details) : of,
        })),
        [{ code, details }, ...more],
      )
      assert.deepEqual(await databaseDigest(refusing), stored)
    })
  }

  test(`${nameOf(route)} answers 401 without a key or with a client's key, and 403 to a role without the permission`, async () => {
    const { data: _, ...request } = await cases.success(await makeOperatorWorld(service, operators))
    const { key: clientsKey } = await addClient(service)
    const stored = await databaseDigest(service)
    for (const key of [undefined, 'nonsense', clientsKey, neverIssuedKey]) {
      const answer = await send(route, request, key)
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body.errors, [{ code: 'unauthorized', message: refusals.unauthorized.message({}) }])
    }
    for (const [role, key] of Object.entries(operators.keys)) {
      if ((allowed as string[]).includes(role)) continue
      const answer = await send(route, request, key)
      assert.equal(answer.status, 403)
      assert.deepEqual(answer.body.errors[0]?.details, { role, permission: route.permission, roles: allowed })
    }
    assert.deepEqual(await databaseDigest(service), stored)
  })
}

const actedBy = (role: Role, { headers }: Answer) => ({
  request_id: String(headers['x-request-id']),
  actor: actors[role],
})

test('every operator route that changes something says which trace it leaves', () => {
  assert.deepEqual(withoutTrace(routes), [])
  const { trace: _, ...planted } = routes.find(({ operationId }) => operationId === 'deleteView') as Route
  assert.deepEqual(withoutTrace([...routes, planted]), ['DELETE /operator/v1/views/{view_id}/'])
})

test('a route that leaves no trace, another one, or one of somebody else fails', async () => {
  const route = routes.find(({ operationId }) => operationId === 'createView') as Route
  const request = { path: '/operator/v1/views/', json: { view_name: 'Planted', filters: 'held=true' } }
  const acted = actedBy('admin', await send(route, request, operators.keys.admin))
  const again = actedBy('admin', await send(route, request, operators.keys.admin)) // Changes nothing.
  await expectTrace(service, route, acted)
  await expectTrace(service, { ...route, trace: 'none: it is so already' }, again)
  for (const [planted, request] of [
    [route, again],
    [{ ...route, trace: 'audit view_changed' }, acted],
    [{ ...route, trace: 'event order.created' }, acted],
    [{ ...route, trace: 'none: nothing' }, acted],
    [route, { ...acted, actor: actors.viewer }],
  ] as const)
    await assert.rejects(expectTrace(service, planted, request), assert.AssertionError)
})

test("an operator's key is refused by the clients' routes", async () => {
  for (const path of ['/api/v1/carts/', '/api/v1/orders/', '/api/v1/countries/'])
    assert.equal((await service.request('GET', path, { key: operators.keys.admin })).status, 401)
})

test('a revoked operator key is refused within 5 seconds', async () => {
  const { key, key_id } = await operators.ok('POST', '/operator/v1/operator-keys/', {
    operator_name: 'Short',
    role: 'viewer',
  })
  const status = async (): Promise<number> => (await service.request('GET', '/operator/v1/inbox/', { key })).status
  assert.equal(await status(), 200)
  await operators.ok('DELETE', `/operator/v1/operator-keys/${key_id}/`)
  const revokedAt = performance.now()
  for (let sentAt = revokedAt; (await status()) !== 401; sentAt = performance.now())
    assert(sentAt - revokedAt < 5_000, 'A request that was sent 5 seconds later was accepted.')
})

test('bodies are JSON objects, strictly', async () => {
  const path = '/operator/v1/operator-keys/'
  const refused = async (body: string, type = 'application/json'): Promise<unknown> => {
    const answer = await service.request('POST', path, {
      key: operators.keys.admin,
      body,
      headers: { 'content-type': type },
    })
    return [
      answer.status,
      answer.body.errors?.map(({ code, field }) => (field === undefined ? code : `${code} ${field}`)),
    ]
  }
  const good = { operator_name: 'Anna', role: 'viewer' }
  const stored = await databaseDigest(service)
  assert.deepEqual(await refused('operator_name=Anna', 'application/x-www-form-urlencoded'), [
    415,
    ['unsupported_media_type'],
  ])
  for (const body of ['{"operator_name":', '[]', '7', 'null'])
    assert.deepEqual(await refused(body), [400, ['malformed_request']], body)
  assert.deepEqual(await refused(JSON.stringify({ ...good, operator_name: 7 })), [400, ['field_invalid operator_name']])
  assert.deepEqual(await refused(JSON.stringify({ ...good, operator_name: 'a\u0000b' })), [
    400,
    ['field_invalid operator_name'],
  ])
  assert.deepEqual(await refused(JSON.stringify({ ...good, role: 'boss' })), [400, ['field_invalid role']])
  assert.deepEqual(await refused(JSON.stringify({ ...good, role: null })), [400, ['field_missing role']])
  assert.deepEqual(await refused(JSON.stringify({ ...good, colour: 'red' })), [400, ['field_unknown colour']])
  assert.deepEqual(await refused('{"operator_name":"Anna","role":"viewer","__proto__":{"x":1}}'), [
    400,
    ['field_unknown __proto__'],
  ])
  assert.deepEqual(await refused(JSON.stringify({ ...good, expires_on: '2026-02-30' })), [
    400,
    ['field_invalid expires_on'],
  ])
  assert.deepEqual(await refused(' '.repeat(300 * 1024)), [413, ['body_too_large']])
  assert.deepEqual(await databaseDigest(service), stored)
})

test('deeply nested values and empty bodies are refused with the name of the field', async () => {
  const send = async (path: string, body: string): Promise<unknown> => {
    const answer = await service.request('POST', path, {
      key: operators.keys.admin,
      body,
      headers: { 'content-type': 'application/json' },
    })
    return [answer.status, answer.body.errors?.map(({ code, field }) => `${code} ${field}`)]
  }
  const deep = `${'['.repeat(60_000)}{"0":1}${']'.repeat(60_000)}`
  const move = '/operator/v1/orders/move/'
  assert.deepEqual(await send(move, `{"state_id":"processing","order_ids":[1],"x":${deep}}`), [
    400,
    ['field_unknown x'],
  ])
  assert.deepEqual(await send(move, `{"state_id":${deep},"order_ids":[1]}`), [400, ['field_invalid state_id']])
  assert.deepEqual(await send(move, `{"state_id":"processing","order_ids":${deep}}`), [
    400,
    ['field_invalid order_ids'],
  ])
  assert.deepEqual(await send(move, ''), [400, ['field_missing state_id']])
  assert.deepEqual(await send('/operator/v1/adjustments/1/accept/', ''), [404, ['adjustment_not_found undefined']])
})

test('of many concurrent revocations of a key each one succeeds, and one event is recorded', async () => {
  const { client_id, key_id } = await addClient(service)
  const answers = await Promise.all(
    Array.from({ length: 16 }, () =>
      service.request('DELETE', `/operator/v1/keys/${key_id}/`, { key: operators.keys.admin }),
    ),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.data.revoked_at)).size, 1)
  const recorded = await service.sql('select event_type from events where client_id = $1 order by event_number', [
    client_id,
  ])
  assert.deepEqual(recorded, [{ event_type: 'key.issued' }, { event_type: 'key.revoked' }])
})

test('order_ids is a list of distinct ids, at most 1,000', async () => {
  const refused = async (order_ids: unknown): Promise<unknown> =>
    (
      await service.request('POST', '/operator/v1/orders/move/', {
        key: operators.keys.admin,
        json: { order_ids, state_id: 'processing' },
      })
    ).body.errors?.map(({ code, field }) => `${code} ${field}`)
  for (const bad of [
    [],
    [1, 1],
    [0],
    [-1],
    [1.5],
    ['1'],
    [2 ** 53],
    Array.from({ length: 1001 }, (_, n) => n + 1),
    '[1]',
    1,
  ])
    assert.deepEqual(await refused(bad), ['field_invalid order_ids'], JSON.stringify(bad).slice(0, 50))
})

test('cancelling without a reason is refused', async () => {
  const answer = await service.request('POST', '/operator/v1/orders/1/move/', {
    key: operators.keys.decider,
    json: { state_id: 'canceled' },
  })
  assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'text'])
})
