import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operatorSideRoutes, type FeatureParts } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { makeLogger } from '../../log.ts'
import { operatorRouteCases } from '../../route-cases.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import {
  makeOperators,
  makeOperatorWorld,
  neverIssuedKey,
  sendAsOperator,
  type Operators,
} from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { openBoundedEntries } from './bounded-entries.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const entries = (audit_action: string) =>
  service.sql('select actor, request_id, new_value from audit_entries where audit_action = $1 order by audit_id', [
    audit_action,
  ])

test('every list that an operator downloads as CSV leaves an entry, before it is sent', async () => {
  const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
  const lists = operatorSideRoutes({ config } as FeatureParts).filter(({ csv }) => csv === true)
  assert(lists.length > 20)
  for (const route of lists) {
    const { keys } = await makeOperators(service) // Another operator: each leaves one at once.
    const world = await makeOperatorWorld(service, operators)
    const { data: _, ...request } = (await operatorRouteCases[`${route.method} ${route.path}`]?.success(world)) ?? assert.fail(route.path) // prettier-ignore
    const accept = { headers: { ...request.headers, accept: 'text/csv' } }
    const answer = await sendAsOperator(service, route.method, { ...request, ...accept }, keys.admin)
    assert.match(String(answer.headers['content-type']), /^text\/csv/, answer.text)
    const { actor, request_id, new_value } = (await entries('list_exported')).at(-1) ?? assert.fail(route.path)
    assert.match(String(actor), /^operator /)
    assert.equal(request_id, answer.headers['x-request-id'], route.path)
    const [shown] = (new_value as { of: { operation_id: string }[] }).of
    assert.equal(shown?.operation_id, route.operationId)
  }
})

test('the entry of a download has ids and names of filters, and not what was searched for', async () => {
  const { keys } = await makeOperators(service)
  const { me } = await makeOperatorWorld(service, operators)
  const path = `/operator/v1/orders/?client_id=${me.client_id}&search=Weber&csv_separator=tab`
  const { status } = await service.request('GET', path, { key: keys.viewer, headers: { accept: 'text/csv' } })
  assert.equal(status, 200)
  assert.deepEqual((await entries('list_exported')).at(-1)?.['new_value'], {
    times: 1,
    of: [{ operation_id: 'listClientOrders', params: {}, filters: ['client_id', 'search'] }],
  })
})

test('a refused download leaves none, and JSON none either', async () => {
  const { keys } = await makeOperators(service)
  const before = await entries('list_exported')
  for (const [path, status] of [
    ['/operator/v1/stocks/999999/closures/', 404],
    ['/operator/v1/orders/?limit=0', 400],
  ] as const) {
    const answer = await service.request('GET', path, { key: keys.admin, headers: { accept: 'text/csv' } })
    assert.equal(answer.status, status)
  }
  await service.request('GET', '/operator/v1/orders/', { key: keys.admin })
  assert.deepEqual(await entries('list_exported'), before)
})

/** Entries that are written when it is closed. */
const open = () => openBoundedEntries(service.db, { everyMs: 3_600_000, logger: makeLogger('silent') })

test('many downloads of an operator are one entry at once, and one that counts the others', async () => {
  const bounded = open()
  const one = { audit_action: 'list_exported', actor: 'operator flood', request_id: 'r' } as const
  await Promise.all(Array.from({ length: 50 }, (_, n) => bounded.first({ ...one, value: { n } })))
  await bounded.close()
  const left = (await entries('list_exported')).filter(({ actor }) => actor === 'operator flood')
  assert.equal(left.length, 2)
  assert.deepEqual(
    left.reduce((sum, { new_value }) => sum + (new_value as { times: number }).times, 0),
    50,
  )
})

test('failed sign-ins are one entry of each address, and of at most a hundred addresses', async () => {
  const bounded = open()
  const fail = (address: string): void =>
    bounded.later({
      audit_action: 'sign_in_failed',
      actor: `unknown at ${address}`,
      request_id: 'r',
      value: { key_id: 7 },
    })
  for (let n = 0; n < 30; n++) fail('192.0.2.1')
  for (let n = 0; n < 200; n++) fail(`198.51.100.${n}`)
  await bounded.close()
  const left = await entries('sign_in_failed')
  assert.equal(left.length, 101)
  assert.deepEqual(left[0], {
    actor: 'unknown at 192.0.2.1',
    request_id: 'r',
    new_value: { times: 30, of: Array.from({ length: 20 }, () => ({ key_id: 7 })) },
  })
  const others = left.find(({ actor }) => actor === 'unknown at other addresses') ?? assert.fail()
  assert.equal((others['new_value'] as { times: number }).times, 101)
})

test('a request with an invalid operator key is a failed sign-in, with the id and not the key; one without is none', async () => {
  const other = await startService({ options: { boundedEntriesMs: 50 } })
  try {
    for (const key of [undefined, '', neverIssuedKey]) {
      const { status } = await other.request(
        'POST',
        '/operator/v1/sessions/',
        key === undefined ? {} : { key, json: {} },
      )
      assert.equal(status, 401)
    }
    const read = () => other.sql(`select actor, new_value from audit_entries where audit_action = 'sign_in_failed'`)
    await eventually(async () => (await read()).length > 0)
    assert.deepEqual(await read(), [
      { actor: 'unknown at 127.0.0.1', new_value: { times: 1, of: [{ key_id: 999_999 }] } },
    ])
  } finally {
    await other.close()
  }
})
