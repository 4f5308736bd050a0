/** The API as a process: starting, readiness, metrics, no database, stopping. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually, mainFile, startProcess, type Running } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'
import { openDatabaseProxy, type DatabaseProxy } from '../testing/network/proxy.ts'

let service: TestService
let me: TestClient
let process_: Running
let proxy: DatabaseProxy

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  proxy = await openDatabaseProxy(service.databaseUrl)
  process_ = await startProcess('api', {
    DATABASE_URL: proxy.url,
    PORT: '0',
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    STATEMENT_TIMEOUT_MS: '5000',
    SHUTDOWN_DELAY_MS: '0',
  })
})
after(async () => {
  process_.child.kill('SIGKILL')
  proxy.close()
  await service.close()
})

const get = (path: string): Promise<Response> => fetch(process_.address + path, { headers: { authorization: me.key } })

test('with invalid settings the process exits with 1 and names all of them', async () => {
  const child = spawn(process.execPath, [mainFile, 'api'], {
    env: { PATH: process.env['PATH'], PORT: 'x', LOG_LEVEL: 'loud' },
  })
  const text = await textOf(child)
  assert.match(text, /DATABASE_URL must be set/)
  assert.match(text, /PORT must be a whole number/)
  assert.match(text, /LOG_LEVEL must be one of/)
  assert.equal(child.exitCode, 1)
})

test('without a key that webhook secrets are encrypted with, the API and the worker exit with 1 and name it', async (t) => {
  await service.sql(
    `insert into webhooks (client_id, url, secret, delivered_event_number) values ($1, 'https://a.example/', $2, 0)`,
    [me.client_id, 'sealed:2025:AAAA'],
  )
  t.after(() => service.sql('delete from webhooks'))
  for (const command of ['api', 'worker']) {
    const child = spawn(process.execPath, [mainFile, command], {
      env: { PATH: process.env['PATH'], DATABASE_URL: service.databaseUrl, PORT: '0', METRICS_PORT: '0' },
    })
    const text = await textOf(child)
    assert.match(text, /WEBHOOK_SECRET_KEYS must have the key '2025': 1 webhook secret\(s\) are encrypted with it\./)
    assert.equal(child.exitCode, 1)
  }
})

test('its sessions have the name of the process', async () => {
  await get('/api/v1/orders/')
  const name = `parts api ${process_.child.pid}`
  const sessions = await service.sql('select 1 from pg_stat_activity where application_name = $1', [name])
  assert(sessions.length > 0)
})

test('the health checks, the documents and the documentation need no key', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(process_.address + path)
    assert.deepEqual([answer.status, await answer.json()], [200, { status: 'ok', data: {} }])
  }
  for (const side of ['', '/operator']) {
    const openapi = (await (await fetch(`${process_.address}${side}/openapi.json`)).json()) as { openapi: string }
    assert.equal(openapi.openapi, '3.1.0')
  }
  assert.equal((await fetch(`${process_.address}/docs/installation.json`)).status, 200)
})

test('metrics are on a separate port and count requests by route and statements by name', async () => {
  await get('/api/v1/carts/')
  const metrics = await (await fetch(`${process_.metrics}/metrics`)).text()
  assert.match(
    metrics,
    /parts_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/carts\/",status="200"\} [1-9]/,
  )
  assert.match(metrics, /parts_statement_duration_seconds_count\{statement="list-carts",outcome="done"\} [1-9]/)
  assert.equal((await fetch(`${process_.address}/metrics`)).status, 404)
})

test('without the database every request gets 503 with Retry-After, and requests succeed again when it is back', async () => {
  assert.equal((await get('/api/v1/carts/')).status, 200)
  proxy.raise()
  for (let i = 0; i < 12; i++) {
    const answer = await get('/api/v1/carts/')
    const body = (await answer.json()) as { errors: { code: string }[] }
    assert.deepEqual(
      [answer.status, body.errors[0]?.code, answer.headers.get('retry-after')],
      [503, 'database_unavailable', '2'],
    )
  }
  assert.equal((await fetch(`${process_.address}/readyz`)).status, 503)
  assert.equal((await fetch(`${process_.address}/healthz`)).status, 200)
  proxy.lower()
  await eventually(async () => (await get('/api/v1/carts/')).status === 200)
  assert.equal((await fetch(`${process_.address}/readyz`)).status, 200)
})

test('a database that stops answering gets 503 after the statement timeout, and requests succeed when it answers again', async () => {
  assert.equal((await get('/api/v1/carts/')).status, 200)
  proxy.mute()
  const answers = await Promise.all([get('/api/v1/carts/'), get('/api/v1/stocks/'), get('/api/v1/carts/')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  )
  proxy.lower()
  await eventually(async () => (await get('/api/v1/carts/')).status === 200)
})

test('a request that waits too long for a row lock gets 503 busy, and its connection stays usable', async () => {
  const release = await lockClients()
  const answer = await createCart('Slow')
  const body = (await answer.json()) as { errors: { code: string }[] }
  assert.deepEqual([answer.status, body.errors[0]?.code], [503, 'busy'])
  await release()
  assert.deepEqual(((await (await get('/api/v1/carts/')).json()) as { data: unknown[] }).data, [])
})

test('on SIGTERM the request in flight is finished, and the process exits with 0', async () => {
  const release = await lockClients()
  const inFlight = createCart('Last')
  await eventually(
    async () => (await service.sql(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)).length > 0,
  )
  const ended = once(process_.child, 'exit')
  process_.child.kill('SIGTERM')
  await eventually(() =>
    fetch(`${process_.address}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  await release()
  assert.equal((await inFlight).status, 200)
  assert.deepEqual(await ended, [0, null])
})

const createCart = (name: string): Promise<Response> =>
  fetch(`${process_.address}/api/v1/carts/`, {
    method: 'PUT',
    headers: { authorization: me.key, 'content-type': 'application/x-www-form-urlencoded' },
    body: `name=${name}`,
  })

const lockClients = (): Promise<() => Promise<void>> =>
  holdRows(service.databaseUrl, 'select * from clients for update')

async function textOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stderr?.on('data', (chunk) => (text += String(chunk)))
  await once(child, 'close')
  return text
}
