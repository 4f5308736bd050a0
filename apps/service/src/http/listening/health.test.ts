/** The health checks of any process, without a database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveHealth } from './health.ts'
import { makeServer } from './server.ts'
import { makeLogger } from '../../log.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

function makeHealth(checkReady: () => Promise<void>) {
  const drain = { isStarted: false }
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent'), drain })
  serveHealth(app, drain, checkReady)
  const get = (path: string) => app.inject({ url: path })
  return { drain, get }
}

test('requests for /readyz at the same time share one check, and later ones check again', async () => {
  let checks = 0
  const check = Promise.withResolvers<void>()
  const { get } = makeHealth(() => {
    checks++
    return check.promise
  })
  const answers = Promise.all(Array.from({ length: 100 }, () => get('/readyz')))
  await new Promise((resolve) => setTimeout(resolve, 50))
  check.resolve()
  assert.deepEqual(new Set((await answers).map(({ statusCode }) => statusCode)), new Set([200]))
  assert.equal(checks, 1)
  await get('/readyz')
  assert.equal(checks, 2)
})

test('a failed check is not remembered', async () => {
  const problem = 'The database has not been migrated: run npm run migrate.'
  const outcomes = [Promise.reject(new Refusal('not_ready', { problem })), Promise.resolve()]
  const { get } = makeHealth(async () => outcomes.shift())
  const answer = await get('/readyz')
  assert.deepEqual(
    [answer.statusCode, answer.headers['retry-after'], answer.json<{ errors: unknown[] }>().errors],
    [503, '2', [{ code: 'not_ready', message: problem, details: { problem } }]],
  )
  assert.equal((await get('/readyz')).statusCode, 200)
})

test('while draining, /readyz is 503 without a check, every answer closes its connection, and /healthz is 200', async () => {
  let checks = 0
  const { drain, get } = makeHealth(async () => void checks++)
  assert.notEqual((await get('/healthz')).headers.connection, 'close')
  drain.isStarted = true
  const answer = await get('/readyz')
  assert.deepEqual([answer.statusCode, checks], [503, 0])
  assert.equal(answer.json<{ errors: { code: string }[] }>().errors[0]?.code, 'shutting_down')
  for (const path of ['/readyz', '/healthz', '/missing'])
    assert.equal((await get(path)).headers.connection, 'close', path)
  assert.equal((await get('/healthz')).statusCode, 200)
})
