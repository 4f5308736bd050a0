/** A distributor is moved, goes back, and is moved again, with a kill at each step; each move is undone from each step, too. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { withoutPrograms } from 'pg-statements/testing-cluster.ts'
import { openDatabase } from '../../apps/service/src/open-database.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../apps/service/src/testing/fixtures.ts'
import { createDistributor } from './create.ts'
import { readDistributor, record } from './directory.ts'
import { FleetProblem, type Fleet } from './fleet-config.ts'
import { migrateFleet } from './migrate-fleet.ts'
import { confirmMove, moveDistributor, undoMove } from './move.ts'
import { openTestFleet, type TestFleet } from './testing-fleet.ts'

const skip = withoutPrograms
const host = 'acme.example'
let fleet: TestFleet
let me: TestClient

before(async () => {
  if (skip !== false) return
  fleet = await openTestFleet()
  await createDistributor(fleet, { name: 'acme', host, server: 'a' })
  const url = fleet.clusters.a.url.replace(/\/postgres$/, '/acme')
  const db = openDatabase({ url, poolSize: 2, timeZone: 'UTC', statementTimeoutMs: 60_000 })
  const sql = <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => queryAt<R>('a', text, values)
  await addFixtures({ sql })
  me = await addClient({ db, sql })
  await db.close()
})
after(() => fleet?.close())

async function queryAt<R extends pg.QueryResultRow>(server: 'a' | 'b', sql: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: fleet.clusters[server].url.replace(/\/postgres$/, '/acme') })
  await client.connect()
  try {
    return (await client.query<R>(sql, values)).rows
  } finally {
    await client.end()
  }
} // prettier-ignore

class Killed extends Error {}

/** A fleet whose command ends at the beginning of a step of that kind. */
const endedAt = (isEnd: (step: string) => boolean): Fleet => ({
  config: fleet.config,
  step: (name) => {
    if (isEnd(name)) throw new Killed()
  },
})

/** Runs it until it is through, ended once at each step. Returns the steps. */
async function killedEverywhere(work: (fleet: Fleet) => Promise<unknown>): Promise<string[]> {
  const ended: string[] = []
  for (;;)
    try {
      await work(endedAt((name) => !ended.includes(name) && ended.push(name) > 0))
      return ended
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
}

async function send(method: string, path: string, form?: Record<string, string>) {
  const answer = await fleet.send(host, method, path, me.key, form && new URLSearchParams(form).toString())
  return { ...answer, body: JSON.parse(answer.text) }
}

const shop = () => shopper({ request: (method: string, path: string, { form }: { form?: Record<string, string> } = {}) => send(method, path, form) } as never, me) // prettier-ignore

const placed: number[] = []
async function place(): Promise<void> {
  const cart_id = await shop().createCart()
  await shop().add(cart_id, { item_id: 1, quantity: 1 })
  placed.push(await shop().order(cart_id))
}

/** Each order is there once, where the proxy leads to, and the client's events have no gap. */
async function checkAll(): Promise<void> {
  const { server } = readDistributor(fleet, 'acme')
  const orders = await queryAt<{ order_id: number }>(server as 'a', 'select order_id::int from orders order by 1')
  assert.deepEqual(orders.map(({ order_id }) => order_id), placed.toSorted((a, b) => a - b)) // prettier-ignore
  const { body } = await send('GET', '/api/v1/events/?after=0&limit=500')
  const numbers = body.data.map(({ event_number }: { event_number: number }) => event_number)
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, n) => n + 1),
  )
}

const rowsOf = async (server: 'a' | 'b'): Promise<unknown> =>
  (await fleet.clusters[server].query(`
    select 'database ' || datname as left from pg_database where datname = 'acme' union all
    select 'role ' || rolname from pg_roles where rolname like 'acme%' union all
    select 'slot ' || slot_name from pg_replication_slots union all
    select 'subscription ' || subname from pg_subscription order by 1`)).rows.map((row) => row['left']) // prettier-ignore

test('a move that is ended at each step in turn is continued, nothing is lost, and the old server follows', { skip }, async () => {
  await place()
  const ended = await killedEverywhere((killed) => moveDistributor(killed, 'acme', { to: 'b', compare: 'rows' }))
  assert.deepEqual(ended, [
    'publish', 'database', 'roles', 'schema', 'rows', 'process', 'slot', 'catch up', 'fence', 'last changes', 'compare',
    'take over', 'turn around', 'open', 'route', 'old process', 'done',
  ])
  assert.deepEqual([readDistributor(fleet, 'acme').server, readDistributor(fleet, 'acme').follower], ['b', 'a'])
  await place()
  await checkAll()
  record(fleet, { ...readDistributor(fleet, 'acme'), release: 'an older one' })
  await assert.rejects(migrateFleet(fleet), /confirm the move first/)
}) // prettier-ignore

test(
  'it goes back with everything that was ordered meanwhile, also when it is ended at each step',
  { skip },
  async () => {
    await killedEverywhere((killed) => moveDistributor(killed, 'acme', { to: 'a' }))
    assert.deepEqual([readDistributor(fleet, 'acme').server, readDistributor(fleet, 'acme').follower], ['a', 'b'])
    await place()
    await checkAll()
  },
)

test('a move is undone from each step before the new database is open', { skip }, async () => {
  for (const last of ['catch up', 'fence', 'turn around']) {
    const until = endedAt((name) => name === last)
    await assert.rejects(moveDistributor(until, 'acme', { to: 'b' }), Killed)
    const { status } = await send('GET', '/api/v1/carts/')
    assert.equal(status, last === 'turn around' ? 503 : 200)
    await killedEverywhere((killed) => undoMove(killed, 'acme').catch(ignoreDone))
    await place()
    await checkAll()
  }
})

/** The last step of undoing was over. */
function ignoreDone(error: unknown): void {
  if (!(error instanceof FleetProblem && /is not being moved/.test(error.message))) throw error
}

test('a confirmed move leaves nothing on the old server, and an undone one nothing on the new one', { skip }, async () => {
  await killedEverywhere((killed) => confirmMove(killed, 'acme').catch(ignoreConfirmed))
  const own = ['database acme', 'role acme_owner', 'role acme_reader', 'role acme_service', 'role acme_service_b']
  assert.deepEqual([await rowsOf('a'), await rowsOf('b')], [own, []])
  const until = endedAt((name) => name === 'slot')
  await assert.rejects(moveDistributor(until, 'acme', { to: 'b' }), Killed)
  await killedEverywhere((killed) => undoMove(killed, 'acme').catch(ignoreDone))
  assert.deepEqual([await rowsOf('a'), await rowsOf('b')], [own, []])
  await place()
  await checkAll()
}) // prettier-ignore

function ignoreConfirmed(error: unknown): void {
  if (!(error instanceof FleetProblem && /has no copy/.test(error.message))) throw error
}
