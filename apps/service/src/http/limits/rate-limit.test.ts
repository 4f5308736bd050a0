import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownBuckets } from './rate-limit.ts'
import { changeClientKey } from '../../keys/change-client-key.ts'
import { issueOperatorKey } from '../../keys/issue-operator-key.ts'
import { metricValue } from '../../testing/metrics.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addClient, byTheTests, addFixtures, type TestClient } from '../../testing/fixtures.ts'

let service: TestService

before(async () => {
  service = await startService({ settings: { RATE_LIMIT: 'on', OPERATOR_RATE_PER_SECOND: '25' } })
  await addFixtures(service)
})
after(() => service.close())

const get = (key: string, path = '/api/v1/carts/'): Promise<Answer> => service.request('GET', path, { key })

/** Adds a client whose key has this limit. At the lowest rate a bucket hardly refills during a test. */
async function addLimited(rate_burst: number, rate_per_second = 1): Promise<TestClient> {
  const client = await addClient(service)
  await service.sql('update api_keys set rate_per_second = $2, rate_burst = $3 where key_id = $1', [
    client.key_id,
    rate_per_second,
    rate_burst,
  ])
  return client
}

async function addOperator(operator_name: string, operator_id?: number): Promise<{ key: string; operator_id: number }> {
  const { key, key_id } = await issueOperatorKey(service.db, {
    operator_id,
    operator_name,
    role: 'viewer',
    ...byTheTests,
  })
  const [row] = await service.sql('select operator_id from operator_keys where key_id = $1', [key_id])
  return { key, operator_id: Number(row?.['operator_id']) }
}

test('a key may send its burst and then gets 429 and Retry-After, while another key is not limited', async () => {
  const [me, other] = [await addLimited(20), await addClient(service)]
  const refusedBefore = await metricValue('parts_rate_limited_total')
  const started = performance.now()
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(me.key)))
  const refilled = Math.ceil((performance.now() - started) / 1000)
  const allowed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(allowed.length + refused.length, 60)
  assert(allowed.length >= 20 && allowed.length <= 20 + refilled, `${allowed.length} allowed`)
  for (const { headers, body } of refused) {
    assert.deepEqual(
      [headers['retry-after'], headers['ratelimit'], headers['ratelimit-policy']],
      ['1', '"key";r=0;t=1', '"key";q=20;w=20'],
    )
    assert.deepEqual(body.errors, [
      {
        code: 'rate_limited',
        message: 'Rate limit exceeded: 1 request per second, and bursts of up to 20.',
        details: { rate_per_second: 1, rate_burst: 20 },
      },
    ])
  }
  assert.equal((await get(other.key)).status, 200)
  assert.equal((await metricValue('parts_rate_limited_total')) - refusedBefore, refused.length)
})

test('every answer to a valid key reports what is left: success, refusal, missing scope; none to an invalid key', async () => {
  const me = await addClient(service, { scopes: ['carts:read'] })
  const requests = [
    ['GET', '/api/v1/carts/', 200],
    ['GET', '/api/v1/carts/1/', 404],
    ['GET', '/api/v1/orders/', 403],
    ['GET', '/api/v1/carts/x/', 400],
  ] as const
  for (const [n, [method, path, status]] of requests.entries()) {
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

test('a refused request changes nothing, and is answered before its body arrives', async () => {
  const me = await addLimited(1)
  assert.equal((await get(me.key)).status, 200)
  const socket = net.connect(service.port, '127.0.0.1')
  // The GET before it takes the token that may have come back, in the same turn of the event loop.
  const headers = `HTTP/1.1\r\nHost: x\r\nAuthorization: ${me.key}\r\n`
  socket.write(
    `GET /api/v1/carts/ ${headers}\r\nPUT /api/v1/carts/ ${headers}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\n`,
  )
  const statuses: string[] = []
  for await (const bytes of socket) {
    statuses.push(
      ...String(bytes)
        .matchAll(/HTTP\/1\.1 (\d+) /g)
        .map(([, status = '']) => status),
    )
    if (statuses.length === 2) break
  }
  assert.equal(statuses[1], '429')
  assert.deepEqual(await service.sql('select * from carts where client_id = $1', [me.client_id]), [])
})

test('a changed rate applies within 5 seconds, even if the bucket was empty', async () => {
  const me = await addLimited(50)
  const emptied = async (): Promise<boolean> => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(me.key)))
    return answers.some(({ status }) => status === 429)
  }
  while (!(await emptied())); // At one token a second, it is empty after the second round at the latest.
  await changeClientKey(service.db, { ...me, changes: { rate_burst: 500, rate_per_second: 250 }, ...byTheTests })
  await sleep(5_000)
  const { status, headers } = await get(me.key)
  assert.deepEqual([status, headers['ratelimit-policy']], [200, '"key";q=500;w=2'])
})

test('the reported quota is never less than what the bucket regains in a second', async () => {
  const { headers } = await get((await addLimited(10, 50)).key)
  assert.deepEqual([headers['ratelimit-policy'], headers['ratelimit']], ['"key";q=50;w=1', '"key";r=9;t=1'])
})

/** Looks up a thousand rows without adding them. */
async function sendRows(me: TestClient, rows = 1_000): Promise<Answer> {
  const body = `item_id,quantity\n${'1,1\n'.repeat(rows)}`
  return service.request('PUT', `/api/v1/carts/${await cartOf(me)}/items/bulk/?stock_id=1&dry_run=true`, {
    key: me.key,
    body,
    headers: { 'content-type': 'text/csv' },
  })
}

/** Through the database, so that it costs no token. */
async function cartOf({ client_id }: TestClient): Promise<number> {
  const [cart] = await service.sql("insert into carts (client_id, cart_name) values ($1, 'A') returning cart_id::int", [
    client_id,
  ])
  return Number(cart?.['cart_id'])
}

test('a request costs a token more for every 50 rows, and for every 64 KiB of its answer', async () => {
  const me = await addLimited(200)
  const answer = await sendRows(me)
  assert.equal(answer.status, 200, answer.text.slice(0, 300))
  const ofAnswer = Math.floor(answer.text.length / (64 * 1024))
  assert(ofAnswer >= 1, `${answer.text.length} bytes`)
  const left = 200 - 1 - 20 - ofAnswer
  const reported = ({ headers }: Answer): number =>
    Number(/^"key";r=(\d+);t=1$/.exec(String(headers['ratelimit']))?.[1])
  const within = (found: number, expected: number): void =>
    assert(found >= expected && found < expected + 5, `${found}, not ${expected}`) // It refills by one a second.
  within(reported(answer), left)
  within(reported(await get(me.key)), left - 1)
  within(reported(await sendRows(me, 49)), left - 2)
})

test('an expensive request is answered, and the next ones wait until the bucket is refilled, at most 11 seconds', async () => {
  const me = await addLimited(5)
  const { status, headers } = await sendRows(me)
  assert.deepEqual([status, headers['ratelimit']], [200, '"key";r=0;t=11'])
  const next = await get(me.key)
  assert.equal(next.status, 429)
  const wait = Number(next.headers['retry-after'])
  assert(wait >= 2 && wait <= 11, `Retry-After: ${wait}`)
  assert.equal(next.headers['ratelimit'], `"key";r=0;t=${wait}`)
})

test('an operator has one limit for all keys and sessions, and another operator is not limited by it', async () => {
  const path = '/operator/v1/me/'
  const { key, operator_id } = await addOperator('Vera')
  const { key: second } = await addOperator('Vera', operator_id)
  const signedIn = await service.request('POST', '/operator/v1/sessions/', { key, json: {} })
  const [cookie = ''] = (signedIn.headers['set-cookie']?.[0] ?? '').split('; ')
  assert.equal(signedIn.headers['ratelimit'], '"key";r=40;t=1', 'What configures counts as ten.')
  const bySession = (): Promise<Answer> => service.request('GET', path, { headers: { cookie } })
  const started = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => [get(key, path), get(second, path), bySession()]).flat(),
  )
  const refilled = Math.ceil(((performance.now() - started) / 1000) * 25)
  const allowed = answers.filter(({ status }) => status === 200)
  assert(allowed.length >= 40 && allowed.length <= 40 + refilled + 1, `${allowed.length} allowed`)
  const refused = answers.find(({ status }) => status === 429)
  assert.deepEqual(refused?.body.errors[0]?.details, { rate_per_second: 25, rate_burst: 50 })
  const other = await addOperator('Anna')
  assert.equal((await get(other.key, path)).status, 200)
})

test('over any period a key gets its burst plus what its rate has refilled, no more and no less', (t) => {
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
    const bucket = `${rate_per_second}`
    const started = now
    let allowed = 0
    for (let step = 0; step < 20_000; step++) {
      if (buckets.take(bucket, { rate_per_second, rate_burst }) >= 0) allowed++
      now += step % 3
    }
    const most = rate_burst + ((now - started) * rate_per_second) / 1000
    assert(allowed <= most + 1, `${rate_per_second}/${rate_burst}: ${allowed} of ${most}`)
    assert(allowed >= Math.min(20_000, most) - 2, `${rate_per_second}/${rate_burst}: ${allowed} of ${most}`)
  }
  assert(buckets.size() > 0)
  const rate = { rate_per_second: 50, rate_burst: 100 }
  assert.equal(buckets.charge('key 7', rate, 40), 60)
  assert.equal(buckets.charge('key 7', rate, 160), -3) // 101 tokens are missing: two seconds and a little.
  assert.equal(buckets.take('key 7', rate), -3)
  now += 2_030
  assert.equal(buckets.take('key 7', rate), 0)
  assert.equal(buckets.charge('key 7', rate, 1_000_000), -11)
  now += 1_000_000
  t.mock.timers.tick(10_000)
  assert.equal(buckets.size(), 0, 'A full bucket is deleted.')
  buckets.close()
})
