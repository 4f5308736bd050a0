/**
 * The page standby.md, run as its reader would, while clients order and all events are followed: a standby is made, goes
 * away and comes back, takes over by a switch and then because the primary has crashed. Nothing is lost or doubled.
 */
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createCluster, programs, serverAccount, withoutPrograms, type Cluster } from 'pg-statements/testing-cluster.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { addRoles, as } from '../../deploy/postgres/add-roles.ts'
import { blocksOf, namesIn, partsOf, query, runBlock, startTrade } from './trade.ts'

const withoutOrdersMaxMs = 60_000

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/engineer/standby.md'), 'utf8')
const [variables = '', role, slot, copy, follows, wait, alone, takeOver, ...others] = blocksOf(page)

const opened = new AsyncDisposableStack()
let a: Cluster
let b: Cluster

before(async () => {
  if (withoutPrograms !== false) return
  const settings = { max_connections: '60', autovacuum: 'on' }
  a = await createCluster(settings)
  opened.defer(() => a.drop())
  b = await createCluster(settings)
  opened.defer(() => b.drop())
  await a.query(`create database parts template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  addRoles(partsOf(a))
  await migrate(as('parts_owner', partsOf(a)), () => undefined)
})
after(() => opened.disposeAsync())

const variablesOf = (primary: Cluster, standby: Cluster): Record<string, string> => ({
  PATH: `${programs}:${process.env['PATH']}`,
  PRIMARY: partsOf(primary),
  STANDBY: partsOf(standby),
  SOURCE: `host=127.0.0.1 port=${primary.port}`,
  NAME: standby === b ? 'b' : 'a',
  DATA: join(standby.folder, 'data'),
  PASSWORD: 'secret',
})

/** Steps 2 to 5. Debian keeps the settings of a server beside its data; here they are among them, and stay. */
async function makeStandby(primary: Cluster, standby: Cluster): Promise<void> {
  const { DATA = '', ...rest } = variablesOf(primary, standby)
  await runBlock(slot, { DATA, ...rest })
  await standby.stop()
  for (const name of readdirSync(DATA)) rmSync(join(DATA, name), { recursive: true })
  await runBlock(copy, { DATA, ...rest }, serverAccount())
  appendFileSync(join(DATA, 'postgresql.conf'), `port = '${standby.port}'\n`)
  await standby.start()
  await runBlock(follows, { DATA, ...rest })
  await runBlock(wait, { DATA, ...rest })
}

test('the page sets the variables that its commands use, and every command is run here', () => {
  assert.deepEqual(namesIn(variables), ['DATA', 'NAME', 'PASSWORD', 'PRIMARY', 'SOURCE', 'STANDBY'])
  assert(takeOver !== undefined && others.length === 0)
})

test(
  'a standby takes over by a switch and after a crash while clients order, and nothing is lost',
  { skip: withoutPrograms },
  async (t) => {
    await using stack = new AsyncDisposableStack()
    const trade = await startTrade('standby', a, as('parts_service', partsOf(a)), stack)
    await runBlock(role, variablesOf(a, b))
    await makeStandby(a, b)
    const bothServers = `127.0.0.1:${a.port},127.0.0.1:${b.port}/parts?target_session_attrs=read-write`
    await trade.replaceProcesses(`postgres://parts_service@${bothServers}`)
    await trade.everybodyOrders()

    await b.stop()
    await runBlock(alone, variablesOf(a, b))
    await trade.everybodyOrders()
    await b.start()
    await runBlock(follows, variablesOf(a, b))
    await runBlock(wait, variablesOf(a, b))
    await trade.everybodyOrders()

    const switched = performance.now()
    await a.stop()
    await runBlock(takeOver, variablesOf(a, b))
    await trade.everybodyOrders()
    const switchMs = trade.longestPause(switched)
    await makeStandby(b, a)
    await trade.everybodyOrders()

    const crashed = performance.now()
    await b.stop('SIGQUIT')
    await runBlock(takeOver, variablesOf(b, a))
    await trade.everybodyOrders()
    const crashMs = trade.longestPause(crashed)
    await makeStandby(a, b)
    await trade.everybodyOrders()

    const { orders, repeated } = await trade.finish(a)
    assert.deepEqual(await query(partsOf(a), 'select application_name, sync_state from pg_stat_replication'), [
      { application_name: 'b', sync_state: 'sync' },
    ])
    t.diagnostic(
      `${orders} orders, ${repeated} sent more than once; without an order for ${Math.round(switchMs)} ms at the switch, ${Math.round(crashMs)} ms after the crash`,
    )
    t.diagnostic(trade.answers())
    assert(switchMs < withoutOrdersMaxMs && crashMs < withoutOrdersMaxMs)
  },
)
