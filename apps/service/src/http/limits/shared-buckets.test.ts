import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from '../../commands/api.ts'
import { readConfig } from '../../config.ts'
import { makeLogger } from '../../log.ts'
import { openDatabase } from '../../open-database.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../../testing/fixtures.ts'

const skip = spawnSync('redis-server', ['--version']).status === 0 ? false : 'redis-server is not installed'
const burst = 20
const neverMs = 10 * 60_000 // A deadline that a busy machine does not miss either.

let redis: ChildProcess
let port: number
let pair: Pair

async function startRedis(): Promise<void> {
  redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  for (let tries = 0; tries < 1_000; tries++) {
    const socket = net.connect(port, '127.0.0.1')
    const connected = await new Promise((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    if (connected === true) return
    await sleep(50)
  }
  assert.fail('Redis did not start.')
}

/** Two apps on one database. Each has its own buckets and its own connection to Redis, as two processes have. */
interface Pair {
  readonly one: TestService
  readonly getFromTwo: (key: string) => Promise<{ status: number; headers: Record<string, unknown> }>
  readonly close: () => Promise<void>
}

async function startPair(redisDeadlineMs: number): Promise<Pair> {
  const settings = { RATE_LIMIT: 'on', SHED_AFTER_MS: 'off', REDIS_URL: `redis://127.0.0.1:${port}` }
  const one = await startService({ settings, options: { redisDeadlineMs } })
  await addFixtures(one)
  const config = readConfig({ DATABASE_URL: one.databaseUrl, ...settings })
  const db = openDatabase({ ...config, url: one.databaseUrl })
  const opened = new AsyncDisposableStack()
  const two = await openApi(db, config, makeLogger('silent'), opened, { redisDeadlineMs })
  const started: Pair = {
    one,
    getFromTwo: async (key) => {
      const { statusCode, headers } = await two.inject({ url: '/api/v1/countries/', headers: { authorization: key } })
      return { status: statusCode, headers }
    },
    close: async () => {
      await opened.disposeAsync()
      await db.close()
      await one.close()
    },
  }
  await untilShared(started)
  return started
}

before(async () => {
  if (skip) return
  const free = net.createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  port = (free.address() as net.AddressInfo).port
  free.close()
  await startRedis()
  pair = await startPair(neverMs)
})
after(async () => {
  if (skip) return
  await pair.close()
  redis.kill('SIGKILL')
})

const getFromOne = ({ one }: Pair, key: string) => one.request('GET', '/api/v1/countries/', { key })

async function addLimited({ one }: Pair): Promise<TestClient> {
  const me = await addClient(one)
  await one.sql('update api_keys set rate_per_second = 1, rate_burst = $2 where key_id = $1', [me.key_id, burst])
  return me
}

/** Waits until both use Redis: then a token that one has taken is missing in the other. */
async function untilShared(two: Pair): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { key } = await addLimited(two)
    await Promise.all(Array.from({ length: 10 }, () => getFromOne(two, key)))
    const { headers } = await two.getFromTwo(key)
    const left = Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
    if (left < burst - 5) return
    await sleep(100)
  }
  assert.fail('The two do not share a bucket.')
}

/** Sends 60 requests with a new key, half of them to each app. `buckets` of them must let their burst through, and no more. */
async function assertBuckets(two: Pair, buckets: number): Promise<void> {
  const { key } = await addLimited(two)
  const started = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? getFromOne(two, key) : two.getFromTwo(key))),
  )
  const refilled = Math.ceil(((performance.now() - started) / 1000) * buckets)
  assert(answers.every(({ status }) => status === 200 || status === 429))
  const allowed = answers.filter(({ status }) => status === 200).length
  const expected = buckets * burst
  assert(
    allowed >= expected && allowed <= expected + refilled,
    `${allowed} allowed, not ${expected} to ${expected + refilled}`,
  )
}

const warnings = ({ one }: Pair): number => one.log.filter((line) => line.includes('Redis is unavailable')).length

test('two processes with Redis share the bucket of a key', { skip }, async () => {
  const before_ = warnings(pair) // Connecting may have taken several attempts.
  await assertBuckets(pair, 1)
  assert.equal(warnings(pair), before_, pair.one.log.filter((line) => line.includes('Redis')).join('\n'))
})

test('an expensive request to one process overdraws the bucket for both', { skip }, async () => {
  const me = await addLimited(pair)
  const [cart] = await pair.one.sql(
    "insert into carts (client_id, cart_name) values ($1, 'A') returning cart_id::int",
    [me.client_id],
  )
  const { status, headers } = await pair.one.request(
    'PUT',
    `/api/v1/carts/${String(cart?.['cart_id'])}/items/bulk/?stock_id=1&dry_run=true`,
    { key: me.key, body: `item_id,quantity\n${'1,1\n'.repeat(1_000)}`, headers: { 'content-type': 'text/csv' } },
  )
  assert.equal(status, 200)
  assert.match(String(headers['ratelimit']), /^"key";r=0;t=\d+$/)
  for (const answer of [await getFromOne(pair, me.key), await pair.getFromTwo(me.key)]) assert.equal(answer.status, 429)
})

test('a bucket that was emptied at a low rate refills at the new rate', { skip }, async () => {
  const me = await addLimited(pair)
  await pair.one.sql('update api_keys set rate_burst = 60 where key_id = $1', [me.key_id])
  const allowed = async (): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => getFromOne(pair, me.key)))
    return answers.filter(({ status }) => status === 200).length
  }
  assert((await allowed()) >= 58)
  await pair.one.sql('update api_keys set rate_per_second = 50, changed_at = now() where key_id = $1', [me.key_id])
  for (let policy = ''; policy !== '"key";q=60;w=2'; await sleep(100))
    policy = String((await getFromOne(pair, me.key)).headers['ratelimit-policy'])
  await sleep(2_000)
  assert((await allowed()) >= 58)
})

test(
  'while Redis does not answer, requests wait for one deadline and then use the bucket of their process',
  { skip },
  async () => {
    const deadlineMs = 3_000 // Far longer than a request takes without waiting, also on a busy machine.
    const slow = await startPair(deadlineMs)
    const before_ = warnings(slow)
    redis.kill('SIGSTOP')
    const started = performance.now()
    await assertBuckets(slow, 2)
    assert(performance.now() - started < 10 * deadlineMs, '60 requests waited together, not one after another.')
    assert.equal(warnings(slow) - before_, 1)
    // From now on one request a second tries Redis, and the others do not wait for it.
    const me = await addClient(slow.one)
    await getFromOne(slow, me.key)
    await sleep(1_300)
    const times = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const begun = performance.now()
        await getFromOne(slow, me.key)
        return performance.now() - begun
      }),
    )
    const notWaiting = times.filter((ms) => ms < deadlineMs)
    const attempts = 1 + Math.floor(Math.max(...notWaiting) / 1_000)
    assert(times.length - notWaiting.length <= attempts, JSON.stringify(times))
    redis.kill('SIGCONT')
    await untilShared(slow)
    await assertBuckets(slow, 1)
    await slow.close()
  },
)

test(
  'when Redis is down, each process counts on its own and logs it once; when it is up again, they share again',
  { skip },
  async () => {
    const before_ = warnings(pair)
    redis.kill('SIGKILL')
    await once(redis, 'exit')
    for (let round = 0; round < 3; round++) {
      await assertBuckets(pair, 2)
      await sleep(600)
    }
    assert.equal(warnings(pair) - before_, 1)
    await startRedis()
    await untilShared(pair)
    await assertBuckets(pair, 1)
  },
)
