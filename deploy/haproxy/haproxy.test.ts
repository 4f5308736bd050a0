/** The real HAProxy with our configuration and TLS, in front of two real API processes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../packages/pg-statements/src/testing-cluster.ts'
import { addClient, addFixtures } from '../../apps/service/src/testing/fixtures.ts'
import { openDatabaseProxy, type DatabaseProxy } from '../../apps/service/src/testing/network/proxy.ts'
import { eventually, startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { startService, type TestService } from '../../apps/service/src/testing/service.ts'
import { config, startHaproxy, type ProxyAnswer, type Haproxy } from './start-haproxy.ts'

let service: TestService
let database: DatabaseProxy
let key: string
let proxy: Haproxy
const ports: number[] = []
const running: Running[] = []

const startApi = (port: number): Promise<Running> =>
  startProcess('api', {
    DATABASE_URL: database.url,
    PORT: String(port),
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    STATEMENT_TIMEOUT_MS: '60000',
    TRUSTED_PROXIES: '127.0.0.1',
  })

before(async () => {
  service = await startService()
  await addFixtures(service)
  key = (await addClient(service)).key
  database = await openDatabaseProxy(service.databaseUrl)
  const [first, second] = [await freePort(), await freePort()]
  ports.push(first, second)
  running.push(...(await Promise.all(ports.map(startApi))))
  proxy = await startHaproxy([`127.0.0.1:${first}`, `127.0.0.1:${second}`])
  await eventually(async () => (await send('GET', '/healthz')).status === 200)
})
after(async () => {
  proxy.stop()
  for (const { child } of running) child.kill('SIGKILL')
  database.close()
  await service.close()
})

/** The body is sent after the head, as most libraries do. */
async function statusOverHttp2(method: string, path: string, form: string): Promise<number | undefined> {
  const session = connect(`https://127.0.0.1:${proxy.port}`, { rejectUnauthorized: false })
  try {
    const request = session.request({ ':method': method, ':path': path, authorization: key })
    setTimeout(() => request.end(form), 20)
    const [head] = (await once(request, 'response')) as [{ ':status'?: number }]
    request.resume()
    return head[':status']
  } finally {
    session.close()
  }
}

const send = (method: string, path: string, form?: string, headers = {}): Promise<ProxyAnswer> =>
  proxy.send(method, path, { headers: { authorization: key, ...headers }, ...(form !== undefined && { form }) })

test('both API processes are restarted on their ports under traffic, and every answer is 200, also those that waited', async () => {
  const stopped = new AbortController()
  const statuses = new Map<number | string, number>()
  const count = (status: number | string): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const repeat = async (work: (i: number) => ReturnType<typeof send>, pauseMs: number): Promise<void> => {
    for (let i = 0; !stopped.signal.aborted; i++) {
      await work(i).then(({ status }) => count(status), (error: unknown) => count(String(error))) // prettier-ignore
      await sleep(pauseMs)
    }
  }
  const traffic = Promise.all([
    ...Array.from({ length: 4 }, (_, n) =>
      repeat(
        (i) =>
          i % 4 === 0
            ? send('PUT', '/api/v1/carts/', `name=Cart ${n}`, { 'idempotency-key': `key-${n}` })
            : send('GET', '/api/v1/carts/'),
        50, // The traffic must not slow down the starts.
      ),
    ),
    ...Array.from({ length: 3 }, () => repeat(() => send('GET', '/api/v1/events/?after=1&wait=2'), 0)),
  ])
  const isUp = async (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok, () => false) // prettier-ignore
  try {
    for (const [n, port] of ports.entries()) {
      const old = running[n]
      assert(old !== undefined)
      const ended = once(old.child, 'exit')
      old.child.kill('SIGTERM')
      assert.deepEqual(await ended, [0, null])
      running[n] = await startApi(port)
      await eventually(() => isUp(port))
      // The other one is stopped only when HAProxy uses this one again.
      await eventually(async () => new RegExp(`Server api/api_${n + 1} is UP`).test(proxy.log()))
    }
  } finally {
    stopped.abort()
    await traffic
  }
  assert.deepEqual([...statuses.keys()].filter((status) => status !== 200), []) // prettier-ignore
  assert((statuses.get(200) ?? 0) > 50)
})

test('a reader may wait the whole 20 seconds for an event: no time-out of the proxy is shorter', async () => {
  for (const name of ['client', 'server'])
    assert(Number(new RegExp(`timeout ${name} (\\d+)s`).exec(config)?.[1]) >= 40, name)
  const newest = (await service.sql('select max(event_number)::int as n from events'))[0]?.['n']
  const { status, text } = await send('GET', `/api/v1/events/?after=${String(newest)}&wait=20`)
  assert.equal(status, 200, text)
})

test('the service sees the address of the caller, not the one that the caller claims', async () => {
  await send('GET', '/api/v1/carts/', undefined, { authorization: 'pos_1_wrong', 'x-forwarded-for': '203.0.113.7' })
  const seen = (): unknown[] =>
    running.flatMap(({ log }) => log.filter(({ msg }) => msg === 'invalid key').map(({ address }) => address))
  await eventually(async () => seen().length > 0)
  assert.deepEqual([...new Set(seen())], ['127.0.0.1'])
})

test('in an outage of the database the proxy has no process left: clients get 503 as JSON with Retry-After, and are served as soon as it is over', async () => {
  const outage = async (): Promise<boolean> => proxy.log().includes('backend api has no server available')
  database.raise()
  try {
    await eventually(outage)
    const answer = await send('PUT', '/api/v1/orders/', 'name=x')
    assert.equal(answer.status, 503)
    assert.equal(answer.headers['retry-after'], '2')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    const id = answer.headers['x-request-id']
    assert.match(String(id), /^[\w.-]{36}$/)
    assert.deepEqual(JSON.parse(answer.text), {
      status: 'fail',
      errors: [{ code: 'overloaded', message: 'No process of the service can take the request. Retry in a moment.' }],
      request_id: id,
    })
    for (let n = 0; n < 20; n++)
      assert.equal(await statusOverHttp2('PUT', '/api/v1/orders/', `name=${'x'.repeat(n * 500)}`), 503)
    await eventually(async () => proxy.log().includes(String(id))) // So that a report of a dealer finds its line.
  } finally {
    database.lower()
  }
  await eventually(async () => (await send('GET', '/api/v1/carts/')).status === 200)
})

test('operators, the console and the readiness are hidden from other than private addresses, however the path is written', async () => {
  const hidden = await startHaproxy(
    [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`],
    config.replace('acl private src 127.0.0.0/8', 'acl private src 127.0.0.1'),
  )
  try {
    const at = async (path: string, from: string): Promise<number> => (await hidden.send('GET', path, { from })).status
    await eventually(async () => (await at('/healthz', '127.0.0.2')) === 200)
    for (const path of [
      '/operator/v1/orders/', '/operator/docs/', '/operator/openapi.json', '/%6fperator/v1/orders/', '/operator%2fv1/orders/',
      '/console/', '/console', '/conso%6Ce/', '/console/session', '/readyz', '/ready%7A',
    ]) {
      const answer = await hidden.send('GET', path, { from: '127.0.0.2' })
      assert.equal(answer.status, 404, path)
      assert.deepEqual(JSON.parse(answer.text), {
        status: 'fail',
        errors: [{ code: 'route_not_found', message: `No such path: ${path}.`, details: { path } }],
        request_id: answer.headers['x-request-id'],
      })
      assert.match(String(answer.headers['x-request-id']), /^[\w-]{36}$/) // That of the proxy: the service was not asked.
    }
    // Written otherwise, the service does not know them either.
    for (const path of ['//operator/v1/orders/', '/./operator/v1/orders/', '/docs/../operator/v1/orders/', '/OPERATOR/v1/orders/'])
      assert.equal(await at(path, '127.0.0.2'), 404, path)
    assert.equal(await at('/operator/v1/orders/', '127.0.0.1'), 401)
    assert.equal(await at('/readyz', '127.0.0.1'), 200)
  } finally {
    hidden.stop()
  }
}) // prettier-ignore
