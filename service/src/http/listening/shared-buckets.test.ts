import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { openApi } from '../../commands/api.ts'
import { readConfig } from '../../config.ts'
import { makeLogger } from '../../log.ts'
import { openDatabase, type Database } from 'pg-statements/database.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../../testing/fixtures.ts'

const skip = spawnSync('redis-server', ['--version']).status === 0 ? false : 'redis-server is not installed'
const burst = 20

let redis: ChildProcess
let port: number
let one: TestService
let two: FastifyInstance
let db: Database
const opened = new AsyncDisposableStack()

async function startRedis(): Promise<void> {
  redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  for (let tries = 0; tries < 100; tries++) {
    const socket = net.connect(port, '127.0.0.1')
    const there = await new Promise((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    if (there === true) return
    await sleep(50)
  }
  assert.fail('Redis did not start.')
}

/** Two processes, as far as their buckets are concerned. */
before(async () => {
  if (skip) return
  const free = net.createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  port = (free.address() as net.AddressInfo).port
  free.close()
  await startRedis()
  const settings = { RATE_LIMIT: 'on', SHED_AFTER_MS: 'off', REDIS_URL: `redis://127.0.0.1:${port}` }
  one = await startService({ settings })
  await addFixtures(one)
  const config = readConfig({ DATABASE_URL: one.databaseUrl, ...settings })
  db = openDatabase({ ...config, url: one.databaseUrl })
  two = await openApi(db, config, makeLogger('silent'), opened)
  await sleep(200) // Both have connected by then.
})
after(async () => {
  if (skip) return
  await opened.disposeAsync()
  await db.close()
  await one.close()
  redis.kill('SIGKILL')
})

async function addLimited(): Promise<TestClient> {
  const me = await addClient(one)
  await one.sql('update api_keys set rate_per_second = 1, rate_burst = $2 where key_id = $1', [me.key_id, burst])
  return me
}

/** How many of 60 requests, half of them to each process, are allowed; every other is 429. */
async function allowedOf60({ key }: TestClient): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      if (n % 2 === 0) return (await one.request('GET', '/api/v1/countries/', { key })).status
      return (await two.inject({ url: '/api/v1/countries/', headers: { authorization: key } })).statusCode
    }),
  )
  assert(statuses.every((status) => status === 200 || status === 429))
  return statuses.filter((status) => status === 200).length
}

const near = (allowed: number, expected: number): void =>
  assert(allowed >= expected && allowed <= expected + 4, `${allowed} allowed, not some ${expected}`)

const warnings = (): number => one.log.filter((line) => line.includes('Redis is away')).length

test('two processes with Redis share the bucket of a key', { skip }, async () => {
  await allowedOf60(await addLimited()) // The first requests of a process are slow.
  near(await allowedOf60(await addLimited()), burst)
  assert.equal(warnings(), 0)
})

test('a bucket that was emptied at a low rate fills at the new one', { skip }, async () => {
  const me = await addLimited()
  await one.sql('update api_keys set rate_burst = 60 where key_id = $1', [me.key_id])
  assert((await allowedOf60(me)) >= 58)
  await one.sql('update api_keys set rate_per_second = 50, changed_at = now() where key_id = $1', [me.key_id])
  await sleep(6_500)
  assert((await allowedOf60(me)) >= 58)
})

test('while Redis is silent, requests are answered by the own bucket of each process, and soon', { skip }, async () => {
  redis.kill('SIGSTOP')
  const started = performance.now()
  near(await allowedOf60(await addLimited()), 2 * burst)
  assert(performance.now() - started < 2_000)
  assert.equal(warnings(), 1)
  // Later one request in a second asks whether it is back, and no other waits for the answer.
  const me = await addClient(one)
  await one.request('GET', '/api/v1/countries/', { key: me.key })
  await sleep(1_300)
  const times = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const begun = performance.now()
      await one.request('GET', '/api/v1/countries/', { key: me.key })
      return performance.now() - begun
    }),
  )
  assert(times.filter((ms) => ms >= 240).length <= 1, JSON.stringify(times))
  redis.kill('SIGCONT')
  await sleep(1_300)
  await allowedOf60(await addLimited())
  near(await allowedOf60(await addLimited()), burst)
})

test(
  'when Redis is gone, each process counts by itself and says so once; when it is back, they share again',
  { skip },
  async () => {
    const before_ = warnings()
    redis.kill('SIGKILL')
    await once(redis, 'exit')
    for (let round = 0; round < 3; round++) {
      near(await allowedOf60(await addLimited()), 2 * burst)
      await sleep(600)
    }
    assert.equal(warnings() - before_, 1)
    await startRedis()
    await sleep(2_500)
    near(await allowedOf60(await addLimited()), burst)
  },
)
