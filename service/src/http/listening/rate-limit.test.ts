import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { register } from 'prom-client'
import { ownBuckets } from './rate-limit.ts'
import { changeClientKey } from '../../access/change-client-key.ts'
import { issueOperatorKey } from '../../access/issue-operator-key.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addClient, byTheTests, addFixtures, type TestClient } from '../../testing/fixtures.ts'

let service: TestService

before(async () => {
  service = await startService({ settings: { RATE_LIMIT: 'on' } })
  await addFixtures(service)
})
after(() => service.close())

const get = (key: string, path = '/api/v1/carts/'): Promise<Answer> => service.request('GET', path, { key })

/** Issued with a rate so low that it does not fill while the test runs. */
async function addLimited(rate_burst: number, rate_per_second = 1): Promise<TestClient> {
  const client = await addClient(service)
  await service.sql('update api_keys set rate_per_second = $2, rate_burst = $3 where key_id = $1', [
    client.key_id,
    rate_per_second,
    rate_burst,
  ])
  return client
}

test('a key makes its burst and is then refused with 429 and Retry-After, while another goes on', async () => {
  const [me, other] = [await addLimited(20), await addClient(service)]
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(me.key)))
  const allowed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(allowed.length + refused.length, 60)
  assert(allowed.length >= 20 && allowed.length <= 22, `${allowed.length} allowed`) // A slow second may bring another one or two.
  for (const { headers, body } of refused) {
    assert.deepEqual(
      [headers['retry-after'], headers['ratelimit'], headers['ratelimit-policy']],
      ['1', '"key";r=0;t=1', '"key";q=20;w=20'],
    )
    assert.deepEqual(body.errors, [
      {
        code: 'rate_limited',
        message: 'This key may make 1 request a second, and 20 at once after a pause.',
        details: { rate_per_second: 1, rate_burst: 20 },
      },
    ])
  }
  assert.equal((await get(other.key)).status, 200)
  assert.match(await register.metrics(), /^parts_rate_limited_total [1-9]/m)
})

test('every answer to a valid key tells what is left: success, refusal, missing scope; none to an invalid one', async () => {
  const me = await addClient(service, { scopes: ['carts:read'] })
  const wishes = [
    ['GET', '/api/v1/carts/', 200],
    ['GET', '/api/v1/carts/1/', 404],
    ['GET', '/api/v1/orders/', 403],
    ['GET', '/api/v1/carts/x/', 400],
  ] as const
  for (const [n, [method, path, status]] of wishes.entries()) {
    const { headers, ...answer } = await service.request(method, path, { key: me.key })
    assert.deepEqual(
      [answer.status, headers['ratelimit'], headers['ratelimit-policy']],
      [
        status,
        `"key";r=${n === 0 ? 99 : headers['ratelimit']?.toString().match(/r=(9\d)/)?.[1]};t=1`,
        '"key";q=100;w=2',
      ],
    )
  }
  const { status, headers } = await get('nonsense')
  assert.deepEqual([status, headers['ratelimit'], headers['ratelimit-policy']], [401, undefined, undefined])
})

test('a refused request changes nothing, and is answered before its body has come', async () => {
  const me = await addLimited(1)
  assert.equal((await get(me.key)).status, 200)
  const socket = net.connect(service.port, '127.0.0.1')
  socket.write(
    `PUT /api/v1/carts/ HTTP/1.1\r\nHost: x\r\nAuthorization: ${me.key}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\n`,
  )
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  socket.destroy()
  assert.match(answer, /^HTTP\/1.1 429 /)
  assert.deepEqual(await service.sql('select * from carts where client_id = $1', [me.client_id]), [])
})

test('a changed rate holds within 5 seconds, however empty the bucket was at the old one', async () => {
  const me = await addLimited(50)
  await Promise.all(Array.from({ length: 50 }, () => get(me.key)))
  assert.equal((await get(me.key)).status, 429)
  await changeClientKey(service.db, { ...me, changes: { rate_burst: 500, rate_per_second: 250 }, ...byTheTests })
  await sleep(5_000)
  const { status, headers } = await get(me.key)
  assert.deepEqual([status, headers['ratelimit-policy']], [200, '"key";q=500;w=2'])
})

test('what is told is never less than what comes into the bucket in a second', async () => {
  const { headers } = await get((await addLimited(10, 50)).key)
  assert.deepEqual([headers['ratelimit-policy'], headers['ratelimit']], ['"key";q=50;w=1', '"key";r=9;t=1'])
})

test('operators are not limited', async () => {
  const { key } = await issueOperatorKey(service.db, { operator_name: 'Vera', role: 'viewer', ...byTheTests })
  const answers = await Promise.all(Array.from({ length: 150 }, () => get(key, '/operator/v1/inbox/')))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(answers[0]?.headers['ratelimit'], undefined)
})

test('over any stretch of time a key gets no more than its burst and what its rate has brought, and no less', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 1_000
  const buckets = ownBuckets(() => now)
  for (const [rate_per_second, rate_burst] of [
    [50, 100],
    [1, 1],
    [3, 1],
    [7, 1_000],
    [100_000, 100_000],
  ] as const) {
    const keyId = rate_per_second
    const started = now
    let allowed = 0
    for (let step = 0; step < 20_000; step++) {
      if (Number(buckets.take(keyId, { rate_per_second, rate_burst })) >= 0) allowed++
      now += step % 3
    }
    const most = rate_burst + ((now - started) * rate_per_second) / 1000
    assert(allowed <= most + 1, `${rate_per_second}/${rate_burst}: ${allowed} of ${most}`)
    assert(allowed >= Math.min(20_000, most) - 2, `${rate_per_second}/${rate_burst}: ${allowed} of ${most}`)
  }
  assert(buckets.size() > 0)
  now += 1_000_000
  t.mock.timers.tick(10_000)
  assert.equal(buckets.size(), 0, 'A full bucket is forgotten.')
  buckets.close()
})
