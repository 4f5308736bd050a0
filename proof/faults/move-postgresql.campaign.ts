/**
 * The page move-postgresql.md, run as its reader would: from the newest PostgreSQL that is installed (15 in Debian 12) to
 * the one of the demo (18), while clients order and all events are followed. Nothing is lost or doubled, no reader misses
 * or repeats an event, and for less than a minute no order is placed.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual, promisify } from 'node:util'
import pg from 'pg'
import { createCluster, withoutPrograms, type Cluster } from 'pg-statements/testing-cluster.ts'
import { findPrograms } from '../../apps/service/src/demo/find-programs.ts'
import { unprivilegedAccount } from '../../apps/service/src/demo/run-as.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { openBalancer } from '../../apps/service/src/testing/network/balancer.ts'
import { startReceiver } from '../../apps/service/src/testing/network/receiver.ts'
import { eventually, startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { addRoles, as } from '../../deploy/postgres/add-roles.ts'
import { checkHistory } from './check-history.ts'
import { runDealer } from './dealer.ts'
import { newHistory, type History, type SeenEvent } from './history.ts'
import { createWebhook, fill, scarceItem, scarceOnHand, stopProcess } from './installation.ts'
import { readStored } from './read-stored.ts'
import { followClientEvents, followOperatorEvents, readWebhooks } from './readers.ts'
import { openRequests } from './requests.ts'
import { retryable } from './scenario.ts'
import { seededRandom } from './seeded-random.ts'
import { currentVersion } from './versions.ts'

const clientCount = 4
const pauseMs = 60 // Between two orders of a client.
const withoutOrdersMaxMs = 60_000

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/engineer/move-postgresql.md'), 'utf8')
const [variables = '', logical, schema, rows, copied, stop, takeOver, open, back, cleanUp, ...others] = [
  ...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm),
].map(([, code = '']) => code)

const opened = new AsyncDisposableStack()
let source: Cluster
let target: Cluster

const serverOf = ({ url }: Cluster): string => url.replace(/\/postgres$/, '')
const partsOf = (cluster: Cluster): string => `${serverOf(cluster)}/parts`

before(async () => {
  if (withoutPrograms !== false) return
  const settings = { max_connections: '60', autovacuum: 'on' }
  source = await createCluster(settings)
  opened.defer(() => source.drop())
  target = await createCluster(settings, tmpdir(), await programsOfTheDemo())
  opened.defer(() => target.drop())
  await source.query(`create database parts template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  addRoles(partsOf(source))
  await migrate(as('parts_owner', partsOf(source)), () => undefined)
})
after(() => opened.disposeAsync())

/** The server's, in a folder that its account can read. */
async function programsOfTheDemo(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-move-'))
  opened.defer(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  return dirname((await findPrograms(folder, unprivilegedAccount())).postgres)
}

async function run(code = ''): Promise<void> {
  await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', code], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: tmpdir(),
      OLD: serverOf(source),
      NEW: serverOf(target),
      SOURCE: `host=127.0.0.1 port=${source.port}`,
      PASSWORD: 'secret',
      SERVICE: 'parts_service',
      OWNER: as('parts_owner', partsOf(target)),
      READER: as('parts_reader', partsOf(target)),
    },
  })
}

async function query<R extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC' })
  await client.connect()
  try {
    return (await client.query<R>(sql, values)).rows
  } finally {
    await client.end()
  }
}
const queryIn =
  (cluster: Cluster) =>
  <R extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]> =>
    query<R>(partsOf(cluster), sql, values)

test('the page sets the variables that its commands use, and every command is run here', () => {
  const names = [...variables.matchAll(/(?:^| )([A-Z]+)=/g)].map(([, name = '']) => name)
  assert.deepEqual(names.toSorted(), ['NEW', 'OLD', 'OWNER', 'PASSWORD', 'READER', 'SERVICE', 'SOURCE'])
  assert(cleanUp !== undefined && others.length === 0)
})

test(
  'PostgreSQL is upgraded while clients order: nothing is lost, and every position goes on',
  { skip: withoutPrograms },
  async (t) => {
    await using stack = new AsyncDisposableStack()
    const { clients, operatorKey } = await fill(await currentVersion(), partsOf(source), queryIn(source), clientCount)
    const balancer = await openBalancer()
    stack.defer(() => balancer.close())
    const receiver = await startReceiver()
    stack.defer(() => receiver.close())
    const running: Running[] = []
    stack.defer(() => running.forEach(({ child }) => child.kill('SIGKILL')))

    /** One after the other, as in any upgrade. */
    async function replaceProcesses(databaseUrl: string): Promise<void> {
      for (const [n, command] of ['api', 'api', 'worker'].entries()) {
        const next = await startProcess(command, { ...settings, DATABASE_URL: databaseUrl })
        const previous = running[n]
        running[n] = next
        if (command === 'api') await balancer.add(next.address)
        if (previous === undefined) continue
        await stopProcess(previous, 'SIGTERM')
        balancer.remove(previous.address)
      }
    }
    await replaceProcesses(as('parts_service', partsOf(source)))
    for (const { key, client_id } of clients) await createWebhook(balancer.url, key, `${receiver.url}/${client_id}`)

    const history = newHistory()
    const random = seededRandom('move')
    const over = { orders: false, events: false }
    const requests = openRequests(balancer.url, history, () => over.events)
    const dealers = clients.map((client) =>
      runDealer({ client, requests, history, random, isStopped: () => over.orders, pauseMs }),
    )
    const readers = [
      ...clients.map((client) => followClientEvents(client, requests, history, () => over.events)),
      followOperatorEvents(operatorKey, requests, history, () => over.events),
    ]
    stack.defer(async () => {
      over.orders = over.events = true
      await Promise.all([...dealers, ...readers])
    })
    const everybodyOrders = async (): Promise<void> => {
      const now = performance.now()
      await eventually(async () =>
        clients.every(({ client_id }) =>
          history.orders.some((order) => order.client_id === client_id && (order.acknowledged?.at ?? 0) > now),
        ),
      )
    }
    await everybodyOrders()

    await run(logical)
    await source.stop()
    await source.start()
    await everybodyOrders()
    await run(schema)
    await run(rows)
    await run(copied)
    const bothServers = `127.0.0.1:${source.port},127.0.0.1:${target.port}/parts?target_session_attrs=read-write`
    await replaceProcesses(`postgres://parts_service@${bothServers}`)

    // Begun, and given up: everything has been copied, and the service goes on where it was.
    await run(stop)
    const stopped = await contentsOf(partsOf(source))
    await eventually(async () => isDeepStrictEqual(await contentsOf(partsOf(target)), stopped))
    await run(back)
    await everybodyOrders()

    const begun = performance.now()
    for (const step of [stop, takeOver, open]) await run(step)
    const switchMs = performance.now() - begun
    await everybodyOrders()
    const withoutOrdersMs = longestPause(history, begun)
    await everybodyOrders()

    over.orders = true
    await Promise.all(dealers)
    const stored = await readStored({ query: queryIn(target), onHand: new Map([[scarceItem, scarceOnHand]]) })
    const deliveries = newHistory()
    const seen = (): History['events'] => {
      deliveries.events.webhook.length = 0
      readWebhooks(receiver, deliveries)
      return { ...history.events, webhook: deliveries.events.webhook }
    }
    const lastSeen = (events: readonly SeenEvent[], id: number): number | undefined =>
      events.findLast(({ client_id }) => client_id === id)?.event_number
    await eventually(async () =>
      Object.values(seen()).every((events) =>
        clients.every(({ client_id }) => lastSeen(events, client_id) === stored.lastEvents.get(client_id)),
      ),
    )
    assert.deepEqual(checkHistory({ ...history, events: seen() }, stored, { allowed: retryable }), [])
    assert.deepEqual(balancer.broken, [])
    const [errors] = await queryIn(target)(
      'select apply_error_count + sync_error_count as n from pg_stat_subscription_stats',
    )
    assert.equal(Number(errors?.['n']), 0)
    await run(cleanUp) // The invariants, too.
    const [left] = await queryIn(source)('select count(*)::int as slots from pg_replication_slots')
    assert.deepEqual(left, { slots: 0 })

    const acknowledged = history.orders.filter((order) => order.acknowledged !== undefined)
    const repeated = acknowledged.filter(({ sendings }) => sendings.length > 1)
    const version = async (cluster: Cluster): Promise<unknown> =>
      (await cluster.query('show server_version')).rows[0].server_version
    t.diagnostic(
      `${String(await version(source))} to ${String(await version(target))}: ${acknowledged.length} orders, ${repeated.length} sent more than once; the switch took ${Math.round(switchMs)} ms, ${Math.round(withoutOrdersMs)} ms without an order`,
    )
    t.diagnostic(JSON.stringify(Object.fromEntries(history.answers)))
    assert(withoutOrdersMs < withoutOrdersMaxMs)
  },
)

const settings = {
  PORT: '0',
  METRICS_PORT: '0',
  WORKER_PORT: '0',
  WORKER_METRICS_PORT: '0',
  RATE_LIMIT: 'off',
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
  WEBHOOK_LEASE_MS: '3000',
  SHUTDOWN_DELAY_MS: '1000',
  LOG_LEVEL: 'info',
}

/** Of every table: how many rows, and a hash of them. */
async function contentsOf(url: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  const tables = await query<{ name: string }>(
    url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  for (const { name } of tables) {
    const all = `string_agg(t::text, E'\\n' order by t::text collate "C")`
    const [row] = await query<{ content: string }>(
      url,
      `select concat(count(*), ' rows ', md5(${all})) as content from only public.${name} t`,
    )
    contents[name] = row?.content ?? ''
  }
  return contents
}

/** Between two orders, of which the second was acknowledged after that moment. */
function longestPause({ orders }: History, after: number): number {
  const times = orders.flatMap(({ acknowledged }) => acknowledged?.at ?? []).toSorted((a, b) => a - b)
  return Math.max(...times.map((at, n) => (at > after ? at - (times[n - 1] ?? after) : 0)))
}
