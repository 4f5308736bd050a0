import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requiredScopes, scopes } from './identity/actor.ts'
import { issueClientKey } from './keys/issue-client-key.ts'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from './app.ts'
import { readConfig } from './config.ts'
import type { Route } from './http/routing/route.ts'
import { refusals, type RefusalCode } from './vocabulary/refusals.ts'
import { maskVolatile } from './testing/mask-volatile.ts'
import { databaseDigest } from './testing/database-digest.ts'
import { routeCases } from './route-cases.ts'
import type { CaseRequest } from './testing/cases.ts'
import { makeWorld } from './testing/world.ts'
import { startService, type Answer, type TestService } from './testing/service.ts'
import { addClient, addFixtures, byTheTests } from './testing/fixtures.ts'

let service: TestService
const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
const routes = clientSideRoutes({ config } as FeatureParts)
const nameOf = ({ method, path }: Route): string => `${method} ${path}`

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

const send = (route: Route, { path, ...sent }: CaseRequest, key?: string): Promise<Answer> =>
  service.request(route.method, path, { key, ...sent })

test('every registered route has its cases, and every case its route', () => {
  assert.deepEqual(routes.map(nameOf).toSorted(), Object.keys(routeCases).toSorted())
  const operatorSide = operatorSideRoutes({ config } as FeatureParts)
  const paths = new Set([...routes, ...operatorSide].map(({ path }) => path)).size
  assert.equal(registeredPaths(), paths)
})

/** As Fastify counts them, so that a route outside of the tables is found. */
function registeredPaths(): number {
  const lines = service.app.printRoutes({ commonPrefix: false }).split('\n')
  const isPage = (line: string): boolean =>
    /── (\/|\/?(healthz|readyz|(operator\/)?(openapi\.json|docs\/?)|installation\.json|llms\.txt|console\/?|settings\.json|assets\/\S+|\*)) \(/.test(
      line,
    )
  return lines.filter((line) => line !== '' && !isPage(line)).length
}

test('every refusal that a route declares has its case', () => {
  for (const route of routes) {
    const cases = Object.keys(routeCases[nameOf(route)]?.refusals ?? {})
    assert.deepEqual(cases.toSorted(), route.refusals.toSorted(), nameOf(route))
  }
})

for (const route of routes) {
  const cases = routeCases[nameOf(route)]
  if (cases === undefined) continue

  test(`${nameOf(route)} answers with exactly the promised data, in both path forms`, async () => {
    for (const form of [withSlash, withoutSlash]) {
      const world = await makeWorld(service)
      const { data, ...request } = await cases.success(world)
      const answer = await send(route, { ...request, path: form(request.path) }, world.me.key)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      const isPage: boolean = route.paged === true && /[?&](limit|cursor)=/.test(request.path)
      const paging: object = isPage ? { paging: { next_cursor: null } } : {}
      assert.deepEqual(maskVolatile(answer.body, { status: 'ok', data }), { status: 'ok', data, ...paging })
    }
    await service.checkInvariants()
  })

  if (route.form !== undefined)
    test(`${nameOf(route)} answers a JSON object as it answers a form, with numbers as numbers or as digits`, async () => {
      for (const as of [Number, String]) {
        const world = await makeWorld(service)
        const { data, form = {}, ...request } = await cases.success(world)
        const asTyped = ([name, value]: [string, unknown]): [string, unknown] =>
          route.form?.[name]?.schema.type === 'integer'
            ? [name, as(value)]
            : route.form?.[name]?.schema.type === 'array'
              ? [name, JSON.parse(String(value))]
              : [name, String(value)]
        const json = Object.fromEntries(Object.entries(form).map(asTyped))
        const answer = await send(route, { ...request, json }, world.me.key)
        assert.equal(answer.status, 200, answer.text)
        assert.deepEqual(maskVolatile(answer.body, { status: 'ok', data }), { status: 'ok', data })
      }
    })

  for (const [code, refusal] of Object.entries(cases.refusals)) {
    test(`${nameOf(route)} refuses with ${code} and changes nothing`, async () => {
      const world = await makeWorld(service)
      const { details, ...request } = await refusal(world)
      const stored = await databaseDigest(service)
      const answer = await send(route, request, world.me.key)
      assert.equal(answer.status, refusals[code as RefusalCode].status, answer.text)
      assert.deepEqual(Object.keys(answer.body), ['status', 'errors', 'request_id'])
      assert.equal(answer.body.status, 'fail')
      assert.equal(answer.body.request_id, answer.headers['x-request-id'])
      assert.deepEqual(
        answer.body.errors.map((error) => ({ code: error.code, details: error.details })),
        [{ code, details }],
      )
      assert.deepEqual(await databaseDigest(service), stored)
    })
  }

  test(`${nameOf(route)} without a valid key answers 401, whatever else is wrong`, async () => {
    const { data: _, ...request } = await cases.success(await makeWorld(service))
    const { key } = await addClient(service)
    const stored = await databaseDigest(service)
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    for (const bad of [undefined, '', 'nonsense', mistyped, ` ${key}x`]) {
      const answer = await send(route, request, bad)
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body.errors, [{ code: 'unauthorized', message: refusals.unauthorized.message({}) }])
    }
    assert.deepEqual(await databaseDigest(service), stored)
  })

  test(`${nameOf(route)} answers for another client's id byte for byte as for an unknown one`, async () => {
    if (cases.foreign === 'has no ids') {
      assert.deepEqual(idsOf(route), [], `${nameOf(route)} takes ids and needs a case with a foreign one.`)
      return
    }
    const [other, own] = [await makeWorld(service), await makeWorld(service)]
    for (const [withForeignId, withUnknownId] of await cases.foreign(other, own)) {
      const stored = await databaseDigest(service)
      const foreign = await send(route, withForeignId, own.me.key)
      const unknown = await send(route, withUnknownId, own.me.key)
      assert.equal(foreign.status, 404)
      assert.equal(comparable(foreign, withForeignId), comparable(unknown, withUnknownId))
      assert.deepEqual(await databaseDigest(service), stored)
    }
  })

  for (const scope of requiredScopes(route)) {
    test(`${nameOf(route)} with a key that has every scope but ${scope} answers 403, names it and changes nothing`, async () => {
      const world = await makeWorld(service)
      const { data: _, ...request } = await cases.success(world)
      const { client_id, contact_id } = world.me
      const others = scopes.filter((other) => other !== scope)
      const { key } = await issueClientKey(service.db, { client_id, contact_id, scopes: others, ...byTheTests })
      const stored = await databaseDigest(service)
      const answer = await send(route, request, key)
      assert.equal(answer.status, 403)
      assert.deepEqual(answer.body.errors[0]?.details, { scope })
      assert.deepEqual(await databaseDigest(service), stored)
    })
  }
}

const withSlash = (path: string): string => path
const withoutSlash = (path: string): string => path.replace(/\/(?=$|\?)/, '')

/** Ids of brands, stocks and items belong to the distributor, not to a client. */
const idsOf = (route: Route): string[] =>
  Object.keys({ ...route.params, ...route.query, ...route.form }).filter(
    (name) => /_(id|key)$/.test(name) && !['brand_id', 'stock_id', 'item_id'].includes(name),
  )

/** A form has lists as JSON texts. */
const idsIn = (value: unknown): string[] => {
  const text = String(value)
  return text.startsWith('[') ? (text.match(/\d+/g) ?? []) : [text]
}

/** The answer with the request id and the ids of the request masked. */
function comparable({ status, headers, body, text }: Answer, { path, form = {} }: CaseRequest): string {
  const ids = [...path.split(/[/?=&]/), ...Object.values(form).flatMap(idsIn)].filter((part) =>
    /^\d{4,}(-|$)/.test(part),
  )
  const shown = Object.entries(headers).filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
  return [body.request_id, ...ids].reduce(
    (masked, id) => masked.replaceAll(id, '#'),
    JSON.stringify({ status, shown, text }),
  )
}
