/** Keys and addresses that go on sending over their limit: they wait, and nobody else does. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addClient, addFixtures, addOlderKey, type TestClient } from '../../testing/fixtures.ts'
import { metricValue } from '../../testing/metrics.ts'
import { makeOperators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
before(async () => {
  const settings = { RATE_LIMIT: 'on', KEYLESS_PER_SECOND: '1', TRUSTED_PROXIES: '127.0.0.1' }
  service = await startService({ settings })
  await addFixtures(service)
})
after(() => service.close())

interface Sent {
  readonly path?: string
  readonly key?: string
  readonly address?: string
  readonly cookie?: string
  readonly headers?: Record<string, string>
}

interface Timed extends Answer {
  readonly ms: number
}

async function get({
  path = '/api/v1/carts/',
  key,
  address = '192.0.2.1',
  cookie,
  headers: more,
}: Sent): Promise<Timed> {
  const headers = { 'x-forwarded-for': address, ...more, ...(cookie === undefined ? {} : { cookie }) }
  const sent = performance.now()
  const answer = await service.request('GET', path, { headers, ...(key === undefined ? {} : { key }) })
  return { ...answer, ms: performance.now() - sent }
}

const refusal = ({ status, body, headers }: Answer): unknown[] => [
  status,
  body.errors?.[0]?.code,
  headers['retry-after'],
]
const wasHeld = ({ ms }: Timed): boolean => ms >= 990 // Node's timers may be a little early.
const held = (source: 'key' | 'address'): Promise<number> => metricValue('parts_held_requests_total', { source })

/** Its key may send one request a second. */
async function addLimited(): Promise<TestClient> {
  const client = await addClient(service)
  await service.sql('update api_keys set rate_per_second = 1, rate_burst = 1 where key_id = $1', [client.key_id])
  return client
}

/** Sends until a request was held, each after the answer to the one before. */
async function sendUntilHeld(sent: Sent): Promise<Timed[]> {
  const answers: Timed[] = []
  while (!answers.some(wasHeld)) {
    answers.push(await get(sent))
    assert(answers.length < 1_000, 'nothing was held')
  }
  return answers
}

test('a key is refused at once a hundred times; then each of its requests waits for a second, from every address', async () => {
  const [me, other] = [await addLimited(), await addClient(service)]
  const before = await held('key')
  const answers = await sendUntilHeld(me)
  assert(answers.length > 100, `${answers.length}`)
  const last = answers.at(-1)
  assert(last)
  assert.deepEqual(refusal(last), [429, 'rate_limited', '1'])
  assert.deepEqual(last.body.errors[0]?.details, { rate_per_second: 1, rate_burst: 1 })
  assert.equal((await held('key')) - before, 1)
  assert.equal((await get(other)).status, 200)
})

test('while a key is held back, others of its address are served, and it is served again when it waits', async () => {
  const [me, other] = [await addLimited(), await addClient(service)]
  const order: string[] = []
  const flood = Array.from({ length: 200 }, () => get({ ...me, address: '192.0.2.9' }))
  const all = Promise.all(flood).then(() => order.push('flood'))
  await Promise.race(flood)
  assert.equal((await get({ ...other, address: '192.0.2.9' })).status, 200)
  order.push('other')
  await all
  assert.deepEqual(order, ['other', 'flood'])
  for (let tries = 0; (await get(me)).status !== 200; tries++) assert(tries < 20)
})

test('an address without a valid key is held back; its valid keys, its sessions and health checks are not', async () => {
  const address = '198.51.100.1'
  const known = await addClient(service)
  const newcomer = await addOlderKey(service, known)
  const operators = await makeOperators(service)
  const signedIn = await service.request('POST', '/operator/v1/sessions/', { key: operators.keys.viewer, json: {} })
  const [cookie = ''] = (signedIn.headers['set-cookie']?.[0] ?? '').split('; ')
  assert.equal((await get({ ...known, address })).status, 200)
  assert.equal((await get({ path: '/operator/v1/me/', cookie, address })).status, 200)

  const before = await held('address')
  const flood: Promise<Timed>[] = []
  while ((await held('address')) === before) {
    flood.push(get({ path: '/api/v1/nowhere/', address }))
    await sleep(5)
  }
  const [unknown, served, operator, probe, elsewhere] = await Promise.all([
    get({ key: newcomer, address }),
    get({ ...known, address }),
    get({ path: '/operator/v1/me/', cookie, address }),
    get({ path: '/healthz', address }),
    get({ path: '/api/v1/nowhere/', address: '198.51.100.2' }),
  ])
  assert.deepEqual(refusal(unknown), [429, 'too_many_failed_keys', '1'])
  assert.deepEqual([served.status, operator.status, probe.status, elsewhere.status], [200, 200, 200, 404])
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  assert(statuses.length > 20)
  assert.deepEqual(new Set(statuses), new Set([404, 429]))
})

test('a known key that asks for paths that do not exist is held back itself, and not its address', async () => {
  const address = '198.51.100.3'
  const [known, other] = [await addClient(service), await addClient(service)]
  assert.equal((await get({ ...known, address })).status, 200)
  const newcomer = await addOlderKey(service, other)
  const answers = await sendUntilHeld({ ...known, path: '/api/v1/nowhere/', address })
  assert.deepEqual(refusal(answers.at(-1) ?? assert.fail()), [429, 'too_many_failed_keys', '1'])
  assert.equal((await get({ key: newcomer, address })).status, 200)
})

test('health checks are never held, in any spelling', async () => {
  const address = '198.51.100.4'
  for (let n = 0; n < 60; n++)
    for (const path of ['/healthz', '/readyz/', '/healthz?n=1'])
      assert.notEqual((await get({ path, address })).status, 429)
})

test('requests with a broken target, an unmet expectation, and a wrong secret of a known key count as well', async () => {
  const known = await addClient(service)
  assert.equal((await get(known)).status, 200)
  for (const [address, sent] of [
    ['203.0.113.1', { path: '/operator/v1/%6Frders/' }],
    ['203.0.113.3', { path: '/docs/', headers: { expect: 'something' } }],
    ['203.0.113.2', { key: known.key.replace(/_\w{6}$/, '_000000') }],
  ] as const) {
    const answers = await sendUntilHeld({ ...sent, address })
    assert.deepEqual(refusal(answers.at(-1) ?? assert.fail()), [429, 'too_many_failed_keys', '1'])
  }
})
