/** The real HAProxy with our configuration and TLS, in front of two real API processes. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../packages/pg-statements/src/testing-cluster.ts'
import { addClient, addFixtures } from '../../apps/service/src/testing/fixtures.ts'
import { eventually, startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { startService, type TestService } from '../../apps/service/src/testing/service.ts'

const configFile = join(import.meta.dirname, 'haproxy.cfg')
let folder: string
let service: TestService
let key: string
let proxy: ChildProcess | undefined
let proxyPort: number
let proxyLog = ''
let agent: https.Agent | undefined
const ports: number[] = []
const running: Running[] = []

const startApi = (port: number): Promise<Running> =>
  startProcess('api', {
    DATABASE_URL: service.databaseUrl,
    PORT: String(port),
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    STATEMENT_TIMEOUT_MS: '60000',
    TRUSTED_PROXIES: '127.0.0.1',
  })

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parts-haproxy-'))
  const [certificate, privateKey] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj',
      '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', privateKey, '-out', certificate],
    { stdio: 'ignore' },
  ) // prettier-ignore
  const pem = join(folder, 'both.pem')
  writeFileSync(pem, readFileSync(certificate, 'utf8') + readFileSync(privateKey, 'utf8'))
  service = await startService()
  await addFixtures(service)
  key = (await addClient(service)).key
  proxyPort = await freePort()
  ports.push(await freePort(), await freePort())
  running.push(...(await Promise.all(ports.map(startApi))))
  const environment = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    HTTPS_BIND: `127.0.0.1:${proxyPort}`,
    CERTIFICATE: pem,
    API_1: `127.0.0.1:${ports[0]}`,
    API_2: `127.0.0.1:${ports[1]}`,
  }
  execFileSync('haproxy', ['-c', '-q', '-f', configFile], { env: environment })
  proxy = spawn('haproxy', ['-db', '-f', configFile], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [proxy.stdout, proxy.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (proxyLog = (proxyLog + text).slice(-100_000)))
  agent = new https.Agent({ keepAlive: true, ca: readFileSync(certificate) })
  const started = proxy
  await eventually(async () => {
    assert.equal(started.exitCode, null, proxyLog)
    return (await send('GET', '/healthz').catch(() => undefined))?.status === 200
  })
})
after(async () => {
  agent?.destroy()
  proxy?.kill('SIGKILL')
  for (const { child } of running) child.kill('SIGKILL')
  await service.close()
  rmSync(folder, { recursive: true })
})

function send(method: string, path: string, form?: string, headers = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      { host: 'localhost', port: proxyPort, family: 4, agent, method, path, headers: { authorization: key, ...headers,
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject)
      },
    ) // prettier-ignore
    request.on('error', reject)
    request.end(form)
  })
}

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
      await eventually(async () => new RegExp(`Server api/api_${n + 1} is UP`).test(proxyLog))
    }
  } finally {
    stopped.abort()
    await traffic
  }
  assert.deepEqual([...statuses.keys()].filter((status) => status !== 200), []) // prettier-ignore
  assert((statuses.get(200) ?? 0) > 50)
})

test('a reader may wait the whole 20 seconds for an event: no time-out of the proxy is shorter', async () => {
  const config = readFileSync(configFile, 'utf8')
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
