/** The process as the engineer meets it: starting, readiness, metrics, an absent database, stopping. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, setUpTrade, type TestClient } from '../testing/trade.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

let service: TestService
let me: TestClient
let process_: Running
let wall: Wall

before(async () => {
  service = await startService()
  await setUpTrade(service)
  me = await addClient(service)
  wall = await makeWall(service.databaseUrl)
  process_ = await startProcess({ DATABASE_URL: wall.url, PORT: '0', METRICS_PORT: '0', STATEMENT_TIMEOUT_MS: '5000' })
})
after(async () => {
  process_.child.kill('SIGKILL')
  wall.close()
  await service.close()
})

const get = (path: string): Promise<Response> => fetch(process_.address + path, { headers: { authorization: me.key } })

test('wrong settings end the process with all of them named', async () => {
  const child = spawn(process.execPath, [main, 'api'], {
    env: { PATH: process.env['PATH'], PORT: 'x', LOG_LEVEL: 'loud' },
  })
  const text = await textOf(child)
  assert.match(text, /DATABASE_URL must be set/)
  assert.match(text, /PORT must be a whole number/)
  assert.match(text, /LOG_LEVEL must be one of/)
  assert.equal(child.exitCode, 1)
})

test('healthz, readyz, the reference and its page need no key', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(process_.address + path)
    assert.deepEqual([answer.status, await answer.json()], [200, { status: 'ok', data: {} }])
  }
  const openapi = (await (await fetch(`${process_.address}/openapi.json`)).json()) as { openapi: string }
  assert.equal(openapi.openapi, '3.1.0')
  const docs = await fetch(`${process_.address}/docs/`)
  assert.equal(docs.status, 200)
  assert.match(await docs.text(), /swagger-ui/)
})

test('metrics stand on a port of their own and count requests and statements by route', async () => {
  await get('/api/v1/carts/')
  const metrics = await (await fetch(`${process_.metrics}/metrics`)).text()
  assert.match(
    metrics,
    /parts_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/carts\/",status="200"\} [1-9]/,
  )
  assert.match(metrics, /parts_statement_duration_seconds_count\{statement="list-carts",outcome="done"\} [1-9]/)
  assert.equal((await fetch(`${process_.address}/metrics`)).status, 404)
})

test('without the database every request is 503 with Retry-After, and all is well again once it is back', async () => {
  assert.equal((await get('/api/v1/carts/')).status, 200)
  wall.raise()
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
  wall.lower()
  await eventually(async () => (await get('/api/v1/carts/')).status === 200)
  assert.equal((await fetch(`${process_.address}/readyz`)).status, 200)
})

test('a database that has fallen silent is given up after a while, and all is well again once it speaks', async () => {
  assert.equal((await get('/api/v1/carts/')).status, 200)
  wall.mute()
  const answers = await Promise.all([get('/api/v1/carts/'), get('/api/v1/stocks/'), get('/api/v1/carts/')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  )
  wall.lower()
  await eventually(async () => (await get('/api/v1/carts/')).status === 200)
})

test('a statement that waits too long for a lock is 503 busy, and its connection goes on', async () => {
  const release = await lockClients()
  const answer = await createCart('Slow')
  const body = (await answer.json()) as { errors: { code: string }[] }
  assert.deepEqual([answer.status, body.errors[0]?.code], [503, 'busy'])
  await release()
  assert.deepEqual(((await (await get('/api/v1/carts/')).json()) as { data: unknown[] }).data, [])
})

test('on SIGTERM the request under way is finished, and the process ends with 0', async () => {
  const release = await lockClients()
  const underWay = createCart('Last')
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
  assert.equal((await underWay).status, 200)
  assert.deepEqual(await ended, [0, null])
})

const createCart = (name: string): Promise<Response> =>
  fetch(`${process_.address}/api/v1/carts/`, {
    method: 'PUT',
    headers: { authorization: me.key, 'content-type': 'application/x-www-form-urlencoded' },
    body: `name=${name}`,
  })

/** Holds the rows of all clients until it is released. */
async function lockClients(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select * from clients for update')
  return () => holder.end()
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

interface Running {
  readonly child: ChildProcess
  readonly address: string
  readonly metrics: string
}

async function startProcess(settings: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, [main, 'api'], { env: { PATH: process.env['PATH'], ...settings } })
  let text = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const ready = text.split('\n').find((line) => line.includes('"ready"'))
    if (ready === undefined) continue
    const { address, metrics } = JSON.parse(ready) as { address: string; metrics: { port: number } }
    child.stdout.resume()
    return { child, address, metrics: `http://127.0.0.1:${metrics.port}` }
  }
  throw new Error(`It did not start: ${text}`)
}

async function textOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stderr?.on('data', (chunk) => (text += String(chunk)))
  await once(child, 'close')
  return text
}

interface Wall {
  readonly url: string
  readonly raise: () => void
  /** Nothing passes any more, and nobody is told. */
  readonly mute: () => void
  readonly lower: () => void
  readonly close: () => void
}

/** A way to the database that can be cut. */
async function makeWall(databaseUrl: string): Promise<Wall> {
  const target = new URL(databaseUrl)
  const open = new Set<net.Socket>()
  let up = false
  let muted = false
  const server = net.createServer((client) => {
    if (up) {
      client.destroy()
      return
    }
    const upstream = net.connect(Number(target.port) || 5432, target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    }
    if (!muted) client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    raise: () => {
      up = true
      cut()
    },
    mute: () => {
      muted = true
      for (const socket of open) socket.unpipe()
    },
    lower: () => {
      up = false
      muted = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
