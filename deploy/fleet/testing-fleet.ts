/** For tests: two real PostgreSQL servers, the real HAProxy, and processes that `runner.ts` starts. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCluster, freePort, type Cluster } from 'pg-statements/testing-cluster.ts'
import { eventually } from '../../apps/service/src/testing/process.ts'
import type { ProxyAnswer } from '../haproxy/start-haproxy.ts'
import { readDirectory } from './directory.ts'
import type { Fleet, FleetConfig } from './fleet-config.ts'
import { stopProcess } from './process.ts'

export interface TestFleet extends Fleet {
  /** The file that `FLEET` names. */
  readonly file: string
  readonly clusters: { readonly a: Cluster; readonly b: Cluster }
  /** Through the proxy, as a client of that host. */
  readonly send: (host: string, method: string, path: string, key?: string, form?: string) => Promise<ProxyAnswer>
  readonly proxyPort: number
  /** The certificate of the proxy. */
  readonly ca: string
  readonly proxyLog: () => string
  /** Runs the command line. Ends it with SIGKILL at the beginning of the step whose number is `killAt`. */
  readonly run: (args: readonly string[], killAt?: KillAt) => Promise<FleetRun>
  readonly close: () => Promise<void>
}

export interface KillAt {
  /** The steps of a run count from 0. */
  readonly step: number
  readonly afterMs: number
}

export interface FleetRun {
  readonly code: number | null
  readonly out: string
  readonly steps: readonly string[]
  /** When each step began, in milliseconds. */
  readonly times: readonly number[]
  readonly errors: string
}

const settings = {
  wal_level: 'logical',
  max_connections: '200',
  max_wal_senders: '20',
  max_replication_slots: '20',
  max_logical_replication_workers: '16',
  max_sync_workers_per_subscription: '4',
  max_worker_processes: '24',
  autovacuum: 'on',
}

export async function openTestFleet(environment: Readonly<Record<string, string>> = {}): Promise<TestFleet> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'parts-fleet-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [a, b] = await Promise.all([createCluster(settings), createCluster(settings)])
  opened.defer(() => Promise.all([a.drop(), b.drop()]).then(() => undefined))
  // Roles must not connect without a password, or no test would see that one has the wrong one.
  for (const cluster of [a, b]) requirePasswords(cluster)
  await Promise.all([a, b].map((cluster) => cluster.query('select pg_reload_conf()')))

  const serverOf = (cluster: Cluster, name: string, ports: number) => {
    const own = join(folder, name)
    mkdirSync(own)
    return {
      postgres: cluster.url.replace(/\/postgres$/, ''),
      address: '127.0.0.1',
      shell: ['sh', '-c'],
      settings: own,
      systemctl: `${process.execPath} ${join(import.meta.dirname, 'runner.ts')} ${own}`,
      ports,
    }
  }
  const ports = randomInt(100, 320) * 100 // Below those that the system gives out.
  const map = join(folder, 'fleet.map')
  writeFileSync(map, '')
  const config: FleetConfig = {
    directory: join(folder, 'distributors'),
    targets: join(folder, 'targets'),
    exports: join(folder, 'exports'),
    proxy: { address: '127.0.0.1', map, sockets: [join(folder, 'admin.sock')] },
    servers: { a: serverOf(a, 'a', ports), b: serverOf(b, 'b', ports + 50) },
    environment: { RATE_LIMIT: 'off', SHED_AFTER_MS: 'off', LOG_LEVEL: 'warn', ...environment },
  }
  const file = join(folder, 'fleet.json')
  writeFileSync(file, JSON.stringify(config))
  const fleet: Fleet = { config, step: () => undefined }
  opened.defer(async () => {
    for (const distributor of readDirectory(fleet))
      for (const server of Object.keys(config.servers)) await stopProcess(fleet, distributor, server)
  })
  const proxy = await startProxy(folder, config)
  opened.defer(() => proxy.stop())
  const closing = opened.move()
  return {
    ...fleet,
    file,
    clusters: { a, b },
    send: proxy.send,
    proxyPort: proxy.port,
    ca: proxy.ca,
    proxyLog: proxy.log,
    run: (args, killAt) => runFleet(file, args, killAt),
    close: () => closing.disposeAsync(),
  }
}

function requirePasswords({ folder }: Cluster): void {
  const lines = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256']
  writeFileSync(join(folder, 'data/pg_hba.conf'), `${lines.join('\n')}\n`)
}

async function startProxy(folder: string, { proxy }: FleetConfig) {
  const [certificate, privateKey, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((name) => join(folder, name)) as [string, string, string] // prettier-ignore
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj',
      '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', privateKey, '-out', certificate],
    { stdio: 'ignore' },
  ) // prettier-ignore
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(privateKey, 'utf8'))
  const [port, metricsPort] = [await freePort(), await freePort()]
  const env = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    HTTPS_BIND: `127.0.0.1:${port}`,
    METRICS_BIND: `127.0.0.1:${metricsPort}`,
    CERTIFICATES: both,
    MAP: proxy.map,
    ADMIN_SOCKET: proxy.sockets[0],
  }
  const config = join(import.meta.dirname, 'haproxy.cfg')
  execFileSync('haproxy', ['-c', '-q', '-f', config], { env })
  const child = spawn('haproxy', ['-db', '-f', config], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (log = (log + chunk).slice(-100_000)))
  const ca = readFileSync(certificate, 'utf8')
  const agent = new https.Agent({ keepAlive: true, ca })
  await eventually(async () => {
    assert.equal(child.exitCode, null, log)
    return fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(({ ok }) => ok, () => false) // prettier-ignore
  })
  const send: TestFleet['send'] = (host, method, path, key, form) =>
    new Promise((resolve, reject) => {
      const headers = {
        host,
        ...(key !== undefined && { authorization: key }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      }
      const options = { host: 'localhost', servername: 'localhost', port, family: 4, agent, method, path, headers }
      const request = https.request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        const { statusCode: status = 0 } = response
        response.on('end', () => resolve({ status, headers: response.headers, text })).on('error', reject)
      })
      request.on('error', reject)
      request.end(form)
    })
  return {
    port,
    ca,
    send,
    log: () => log,
    stop: () => {
      agent.destroy()
      child.kill('SIGKILL')
    },
  }
}

async function runFleet(file: string, args: readonly string[], killAt?: KillAt): Promise<FleetRun> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fleet.ts'), ...args], {
    env: { ...process.env, FLEET: file },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, errors] = ['', '']
  const stepsOf = (): string[] => [...errors.matchAll(/^\S+Z \w+ \w*: (.*)$/gm)].map(([, step = '']) => step)
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    if (killAt !== undefined && stepsOf().length > killAt.step)
      setTimeout(() => child.kill('SIGKILL'), killAt.afterMs).unref()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const times = [...errors.matchAll(/^(\S+Z) \w+ \w*: /gm)].map(([, time = '']) => Date.parse(time))
  return { code, out: out.trim(), steps: stepsOf(), times, errors }
}
