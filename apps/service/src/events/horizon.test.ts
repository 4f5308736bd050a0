/** What the order of all events waits for: transactions of this database, and nothing else. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addFixtures, addClient } from '../testing/fixtures.ts'
import { createTestDatabase } from '../testing/database.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'

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

const addWebhook = (key: string) =>
  service.request('PUT', '/api/v1/webhooks/', { key, form: { url: 'https://dealer.example/hooks', event_types: '*' } })

/** Other databases of a busy server have transactions that end just now: the horizon waits for those, for a moment. */
async function eventuallyFollow(cursor: string): Promise<{ events: Seen[]; next_cursor: string }> {
  for (;;) {
    const page = await follow(cursor)
    if (page.events.length > 0) return page
  }
}

test('a transaction of another database hides no event, one of this database hides those after it', async () => {
  const me = await addClient(service)
  const elsewhere = await createTestDatabase()
  const { next_cursor } = await follow()
  const foreign = await begun(elsewhere.url)
  await addWebhook(me.key)
  const shown = await eventuallyFollow(next_cursor)
  assert.deepEqual(shown.events.map(({ client_id }) => client_id), [me.client_id]) // prettier-ignore

  const own = await begun()
  await addWebhook(me.key)
  for (let n = 0; n < 20; n++) assert.deepEqual((await follow(shown.next_cursor)).events, [])
  await end(own)
  assert.equal((await eventuallyFollow(shown.next_cursor)).events.length, 1)
  await end(foreign)
  await elsewhere.drop()
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
      const [row] = await service.sql('select events_horizon()::text as horizon')
      const horizon = BigInt(String(row?.['horizon']))
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
