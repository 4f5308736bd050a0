/** Everything that a run breaks: PostgreSQL behind a proxy, API processes behind a balancer, workers, and the data. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createCluster, type Cluster } from 'pg-statements/testing-cluster.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { openDatabase } from '../../apps/service/src/open-database.ts'
import { openBalancer, type Balancer } from '../../apps/service/src/testing/network/balancer.ts'
import type { TestClient } from '../../apps/service/src/testing/fixtures.ts'
import { startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { startReceiver, type Receiver } from '../../apps/service/src/testing/network/receiver.ts'
import { startPooler, startRedis, type Companion } from './companions.ts'
import { createPatroniCluster, type PatroniCluster } from './patroni-cluster.ts'
import { openProtocolProxy, type ProtocolProxy } from './protocol-proxy.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { checkOutPreviousVersion, currentVersion, type Version } from './versions.ts'

export const scarceItem = 3
export const scarceOnHand = 40
const startMaxMs = 60_000
/** How explain-failure.ts begins when the server is away, starting, full, locked or cut off. */
const noDatabase = /did not start: (?:PostgreSQL|Cannot connect to PostgreSQL)/

export interface InstallationOptions {
  readonly clients: number
  readonly apis: number
  readonly workers: number
  /** Of the PostgreSQL server. */
  readonly server?: Readonly<Record<string, string>>
  /** Of all processes. */
  readonly settings?: Readonly<Record<string, string>>
  /** Patroni with three servers behind HAProxy, instead of one server. */
  readonly highAvailability?: boolean
  /** The server's folder is a file system of this size. */
  readonly diskMb?: number
  /** Sessions of PgBouncer lead to the server. */
  readonly pooler?: boolean
  /** Redis shares the rate limits between the processes. */
  readonly redis?: boolean
  /** Begins with the schema and the processes of the previous version. */
  readonly upgrades?: boolean
}

export interface Installation {
  readonly current: Version
  /** If it began with it. */
  readonly previous: Version | undefined
  /** Of processes that are started from now on. */
  version: Version
  /** The server, unless there are several. */
  readonly cluster: Cluster | undefined
  /** The servers, if there are several. */
  readonly patroni: PatroniCluster | undefined
  /** Past the proxy. */
  readonly databaseUrl: string
  readonly proxy: ProtocolProxy
  readonly disk: SmallDisk | undefined
  readonly pooler: Companion | undefined
  readonly redis: Companion | undefined
  readonly balancer: Balancer
  readonly apis: Running[]
  readonly workers: Running[]
  readonly clients: readonly TestClient[]
  readonly operatorKey: string
  readonly receiver: Receiver
  readonly onHand: ReadonlyMap<number, number>
  readonly query: <R extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<R[]>
  readonly startApi: (settings?: Readonly<Record<string, string>>) => Promise<Running>
  readonly startWorker: (settings?: Readonly<Record<string, string>>) => Promise<Running>
  /** Takes a process from behind the balancer and out of the list; it must have ended. */
  readonly forget: (process: Running) => void
  readonly close: () => Promise<void>
}

export async function createInstallation(options: InstallationOptions): Promise<Installation> {
  await using opened = new AsyncDisposableStack()
  const patroni = options.highAvailability === true ? await createPatroniCluster() : undefined
  if (patroni !== undefined) opened.defer(() => patroni.close())
  const disk = options.diskMb === undefined ? undefined : mountSmallDisk(options.diskMb)
  if (disk !== undefined) opened.defer(() => disk.unmount())
  const cluster =
    patroni === undefined
      ? await createCluster({ max_connections: '60', autovacuum: 'on', ...options.server }, disk?.folder)
      : undefined
  if (cluster !== undefined) opened.defer(() => cluster.drop())
  const serverUrl = patroni?.url ?? cluster?.url ?? ''
  const databaseUrl = await createDatabase(serverUrl)
  const query = async <R extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<R[]> => {
    const client = new pg.Client({ connectionString: databaseUrl })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<R>(sql, values)).rows
    } finally {
      await client.end()
    }
  }
  const current = await currentVersion()
  const previous = options.upgrades === true ? await checkOutPreviousVersion() : undefined
  if (previous !== undefined) opened.defer(() => previous.remove())
  const first = previous ?? current
  await migrate(databaseUrl, () => undefined, first.migrationsDir)
  const { clients, operatorKey } = await fill(first, databaseUrl, query, options.clients)
  const pooler = options.pooler === true ? await startPooler(databaseUrl) : undefined
  if (pooler !== undefined) opened.defer(() => pooler.kill())
  const redis = options.redis === true ? await startRedis() : undefined
  if (redis !== undefined) opened.defer(() => redis.kill())
  const proxy = await openProtocolProxy(pooler?.url ?? databaseUrl)
  opened.defer(() => proxy.close())
  const balancer = await openBalancer()
  opened.defer(() => balancer.close())
  const receiver = await startReceiver()
  opened.defer(() => receiver.close())

  const settings = {
    DATABASE_URL: proxy.url,
    PORT: '0',
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    STATEMENT_TIMEOUT_MS: '5000',
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    WEBHOOK_LEASE_MS: '3000',
    ...(redis !== undefined && { REDIS_URL: redis.url, RATE_LIMIT: 'on' }),
    ...options.settings,
  }
  const [apis, workers]: [Running[], Running[]] = [[], []]
  const killAll = (): void => {
    for (const { child } of [...apis, ...workers]) child.kill('SIGKILL')
  }
  process.once('exit', killAll) // If the run is interrupted.
  opened.defer(() => {
    killAll()
    process.off('exit', killAll)
  })
  const installation: Installation = {
    current,
    previous,
    version: first,
    cluster,
    patroni,
    databaseUrl,
    proxy,
    disk,
    pooler,
    redis,
    balancer,
    apis,
    workers,
    clients,
    operatorKey,
    receiver,
    onHand: new Map([[scarceItem, scarceOnHand]]),
    query,
    startApi: async (more) => {
      const { mainFile } = installation.version
      const api = await startSupervised('api', { ...settings, LOG_LEVEL: 'info', ...more }, mainFile)
      apis.push(api)
      await balancer.add(api.address)
      return api
    },
    startWorker: async (more) => {
      const ports = { WORKER_PORT: '0', WORKER_METRICS_PORT: '0' }
      const { mainFile } = installation.version
      const worker = await startSupervised('worker', { ...settings, LOG_LEVEL: 'info', ...ports, ...more }, mainFile)
      workers.push(worker)
      return worker
    },
    forget: (process) => {
      balancer.remove(process.address)
      for (const list of [apis, workers]) {
        const at = list.indexOf(process)
        if (at >= 0) list.splice(at, 1)
      }
    },
    close: () => closing.disposeAsync(),
  }
  await Promise.all([
    ...Array.from({ length: options.apis }, () => installation.startApi()),
    ...Array.from({ length: options.workers }, () => installation.startWorker()),
  ])
  for (const { key, client_id } of clients) await createWebhook(balancer.url, key, `${receiver.url}/${client_id}`)
  const closing = opened.move()
  return installation
}

/** A process that finds no database as it starts ends, and is started again, as systemd and Kubernetes do. */
async function startSupervised(...how: Parameters<typeof startProcess>): Promise<Running> {
  const deadline = performance.now() + startMaxMs
  for (;;) {
    try {
      return await startProcess(...how)
    } catch (error) {
      if (!noDatabase.test(String(error)) || performance.now() > deadline) throw error
      await sleep(500)
    }
  }
}

export async function stopProcess(process: Running, signal: NodeJS.Signals): Promise<void> {
  if (process.child.exitCode !== null || process.child.signalCode !== null) return
  const ended = once(process.child, 'exit')
  process.child.kill(signal)
  await ended
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `parts_faults_${process.pid}_${Date.now().toString(36)}`
  const server = new pg.Client({ connectionString: serverUrl })
  await server.connect()
  await server.query(`create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  await server.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function fill(
  { code }: Version,
  databaseUrl: string,
  query: Installation['query'],
  count: number,
): Promise<{ clients: TestClient[]; operatorKey: string }> {
  const db = openDatabase({ url: databaseUrl, poolSize: 2, timeZone: 'UTC', statementTimeoutMs: 60_000 })
  const service = { db, sql: query }
  try {
    await code.addFixtures(service)
    await query(
      `update stock_levels set on_hand = case when item_id = $1 then $2 else 10000000 end where stock_id = 1`,
      [scarceItem, scarceOnHand],
    )
    const clients: TestClient[] = []
    for (let n = 1; n <= count; n++) clients.push(await code.addClient(service, { name: `Dealer ${n}` }))
    const { key } = await code.issueOperatorKey(db, {
      operator_name: 'Operator',
      role: 'admin',
      actor: 'the faults',
      request_id: '',
    })
    return { clients, operatorKey: key }
  } finally {
    await db.close()
  }
}

export async function createWebhook(url: string, key: string, receiver: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/webhooks/`, {
    method: 'PUT',
    headers: { authorization: key },
    body: new URLSearchParams({ url: receiver }),
  })
  if (!answer.ok) throw new Error(`The webhook was refused: ${await answer.text()}`)
}
