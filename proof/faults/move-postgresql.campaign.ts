/**
 * The page move-postgresql.md, run as its reader would: from the newest PostgreSQL that is installed (15 in Debian 12) to
 * the one of the demo (18), while clients order and all events are followed. Nothing is lost or doubled, no reader misses
 * or repeats an event, and for less than a minute no order is placed.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createCluster, withoutPrograms, type Cluster } from 'pg-statements/testing-cluster.ts'
import { findPrograms } from '../../apps/service/src/demo/find-programs.ts'
import { unprivilegedAccount } from '../../apps/service/src/demo/run-as.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { eventually } from '../../apps/service/src/testing/process.ts'
import { addRoles, as } from '../../deploy/postgres/add-roles.ts'
import { blocksOf, namesIn, partsOf, query, runBlock, serverOf, startTrade } from './trade.ts'

const withoutOrdersMaxMs = 60_000

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/engineer/move-postgresql.md'), 'utf8')
const [variables = '', logical, schema, rows, copied, stop, takeOver, open, back, cleanUp, ...others] = blocksOf(page)

const opened = new AsyncDisposableStack()
let source: Cluster
let target: Cluster

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

const run = (code: string | undefined): Promise<void> =>
  runBlock(code, {
    OLD: serverOf(source),
    NEW: serverOf(target),
    SOURCE: `host=127.0.0.1 port=${source.port}`,
    PASSWORD: 'secret',
    SERVICE: 'parts_service',
    OWNER: as('parts_owner', partsOf(target)),
    READER: as('parts_reader', partsOf(target)),
  })

test('the page sets the variables that its commands use, and every command is run here', () => {
  assert.deepEqual(namesIn(variables), ['NEW', 'OLD', 'OWNER', 'PASSWORD', 'READER', 'SERVICE', 'SOURCE'])
  assert(cleanUp !== undefined && others.length === 0)
})

test(
  'PostgreSQL is upgraded while clients order: nothing is lost, and every position goes on',
  { skip: withoutPrograms },
  async (t) => {
    await using stack = new AsyncDisposableStack()
    const trade = await startTrade('move', source, as('parts_service', partsOf(source)), stack)

    await run(logical)
    await source.stop()
    await source.start()
    await trade.everybodyOrders()
    await run(schema)
    await run(rows)
    await run(copied)
    const bothServers = `127.0.0.1:${source.port},127.0.0.1:${target.port}/parts?target_session_attrs=read-write`
    await trade.replaceProcesses(`postgres://parts_service@${bothServers}`)

    // Begun, and given up: everything has been copied, and the service goes on where it was.
    await run(stop)
    const stopped = await contentsOf(partsOf(source))
    await eventually(async () => isDeepStrictEqual(await contentsOf(partsOf(target)), stopped))
    await run(back)
    await trade.everybodyOrders()

    const begun = performance.now()
    for (const step of [stop, takeOver, open]) await run(step)
    const switchMs = performance.now() - begun
    await trade.everybodyOrders()
    const withoutOrdersMs = trade.longestPause(begun)
    await trade.everybodyOrders()

    const { orders, repeated } = await trade.finish(target)
    const errors = 'select apply_error_count + sync_error_count as n from pg_stat_subscription_stats'
    assert.equal(Number((await query(partsOf(target), errors))[0]?.['n']), 0)
    await run(cleanUp) // The invariants, too.
    const left = await query(partsOf(source), 'select count(*)::int as slots from pg_replication_slots')
    assert.deepEqual(left, [{ slots: 0 }])

    const version = async (cluster: Cluster): Promise<unknown> =>
      (await cluster.query('show server_version')).rows[0].server_version
    t.diagnostic(
      `${String(await version(source))} to ${String(await version(target))}: ${orders} orders, ${repeated} sent more than once; the switch took ${Math.round(switchMs)} ms, ${Math.round(withoutOrdersMs)} ms without an order`,
    )
    t.diagnostic(trade.answers())
    assert(withoutOrdersMs < withoutOrdersMaxMs)
  },
)

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
