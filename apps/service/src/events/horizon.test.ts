/** What the order of all events waits for: transactions of this database, and nothing else. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addFixtures, addClient } from '../testing/fixtures.ts'
import { createTestDatabase } from '../testing/database.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { readHorizon } from './horizon.ts'

let service: TestService
let operators: Operators
before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

async function session(url = service.databaseUrl): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** A session in a transaction that has an id and has written nothing yet. */
async function begun(url?: string): Promise<pg.Client> {
  const client = await session(url)
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return client
}

async function end(client: pg.Client): Promise<void> {
  await client.query('commit')
  await client.end()
}

interface Seen {
  readonly client_id: number
  readonly event_number: number
}

async function follow(cursor?: string): Promise<{ events: Seen[]; next_cursor: string }> {
  const { events, next_cursor } = await operators.ok(
    'GET',
    `/operator/v1/events/?limit=500${cursor === undefined ? '&from=now' : `&cursor=${cursor}`}`,
  )
  return { events, next_cursor }
}

const cartOf = (key: string) => service.request('PUT', '/api/v1/webhooks/', { key, form: { url: 'https://dealer.example/hooks', event_types: '*' } }) // prettier-ignore

test('a transaction of another database hides no event, one of this database hides those after it', async () => {
  const me = await addClient(service)
  const elsewhere = await createTestDatabase()
  const { next_cursor } = await follow()
  const foreign = await begun(elsewhere.url)
  await cartOf(me.key)
  const shown = await follow(next_cursor)
  assert.deepEqual(shown.events.map(({ client_id }) => client_id), [me.client_id]) // prettier-ignore

  const own = await begun()
  await cartOf(me.key)
  assert.deepEqual((await follow(shown.next_cursor)).events, [])
  await end(own)
  assert.equal((await follow(shown.next_cursor)).events.length, 1)
  await end(foreign)
  await elsewhere.drop()
})

test('a role that may not see the sessions of others waits for all transactions', async () => {
  const elsewhere = await createTestDatabase()
  const foreign = await begun(elsewhere.url)
  const client = await session()
  const [blind, seeing] = [`horizon_blind_${process.pid}`, `horizon_seeing_${process.pid}`] // Roles are those of the server.
  const horizonAs = async (role: string): Promise<bigint> => {
    await client.query(`set role ${role}`)
    const { rows } = await client.query<{ horizon: string }>('select events_horizon()::text as horizon')
    await client.query('reset role')
    return BigInt(rows[0]?.horizon ?? 0)
  }
  await client.query(`create role ${blind}; create role ${seeing} in role pg_read_all_stats`)
  try {
    const { rows } = await client.query<{ oldest: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as oldest') // prettier-ignore
    await client.query('create table written (n integer)')
    assert.equal(await horizonAs(blind), BigInt(rows[0]?.oldest ?? 0))
    assert((await horizonAs(seeing)) > BigInt(rows[0]?.oldest ?? 0))
  } finally {
    await client.query(`drop role ${blind}; drop role ${seeing}; drop table if exists written`)
    await client.end()
    await end(foreign)
    await elsewhere.drop()
  }
})

test('the horizon never falls, and a reader misses and repeats nothing while sessions stall before they commit', async () => {
  const clients = await Promise.all(Array.from({ length: 6 }, () => addClient(service)))
  let { next_cursor } = await follow()
  const seen: string[] = []
  const recorded: string[] = []
  const written = new AbortController()

  const write = async (client_id: number, n: number): Promise<void> => {
    const own = await session()
    for (let round = 0; round < 40; round++) {
      await own.query('begin')
      if (round % 2 === 0) await own.query('select pg_current_xact_id()')
      await sleep(((round * 7 + n * 3) % 10) + 1)
      await own.query(`select record_events($1, null, '{client.changed}', '{"{}"}', 'the tests', 'test')`, [client_id])
      await sleep(((round * 3 + n) % 5) + 1)
      const { rows } = await own.query<{ number: string }>('select event_number as number from clients where client_id = $1', [client_id]) // prettier-ignore
      if (round % 5 === 4) await own.query('rollback')
      else {
        await own.query('commit')
        recorded.push(`${client_id} ${rows[0]?.number}`)
      }
    }
    await own.end()
  }
  const read = async (): Promise<void> => {
    let last = 0n
    for (let more = true; more || !written.signal.aborted;) {
      const page = await follow(next_cursor)
      seen.push(...page.events.map(({ client_id, event_number }) => `${client_id} ${event_number}`))
      next_cursor = page.next_cursor
      more = page.events.length > 0
      const horizon = BigInt(await readHorizon(service.db))
      assert(horizon >= last)
      last = horizon
    }
  }
  const reading = read()
  // Two sessions a client, so that one waits for the other with an id that it got before.
  await Promise.all([...clients, ...clients].map(({ client_id }, n) => write(client_id, n)))
  written.abort()
  await reading
  assert.equal(recorded.length, 12 * 32)
  assert.equal(new Set(seen).size, seen.length)
  assert.deepEqual(new Set(seen), new Set(recorded))
  for (const { client_id } of clients) {
    const numbers = seen.filter((one) => one.startsWith(`${client_id} `)).map((one) => Number(one.split(' ')[1]))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
  }
})
