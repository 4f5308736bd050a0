/** A database that was restored or copied is recognised, and is served from only after `after-restore`. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { afterRestoreAt } from '../commands/after-restore.ts'
import { causeOf, recordDatabaseIdentity } from './recognise-restore.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { dumpOf, restoreDump, withoutDump } from '../testing/dump.ts'
import { lastEvents } from '../testing/events.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { mainFile } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  for (let n = 0; n < 3; n++) await place()
  await recordDatabaseIdentity(service.db)
})
after(() => service.close())

async function place(): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return shop.order(cart_id)
}

const problem = async (): Promise<string | undefined> =>
  (await service.request('GET', '/readyz')).body.errors?.[0]?.message

/** A process that is started with the database, until it fails. */
const start = (command: string, databaseUrl: string): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, [mainFile, command], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PORT: '0', METRICS_PORT: '0', WORKER_PORT: '0', WORKER_METRICS_PORT: '0' },
  }) // prettier-ignore

async function restoredCopy(): Promise<TestDatabase> {
  const copy = await createEmptyDatabase()
  restoreDump(dumpOf(service.databaseUrl), copy.url)
  return copy
}

test('a database that is where it was is ready, and after-restore has nothing to do', async () => {
  assert.equal(await problem(), undefined)
  assert.equal(await afterRestoreAt(service.databaseUrl, {}), undefined)
})

test(
  'a restored dump is refused by the API and the worker, which name what to do, until after-restore was run',
  { skip: withoutDump },
  async () => {
    const copy = await restoredCopy()
    try {
      for (const command of ['api', 'worker']) {
        const { status, stderr } = start(command, copy.url)
        assert.equal(status, 1)
        assert.match(stderr, /^The database is a copy of another database.*run main\.ts after-restore/)
      }
      assert.match((await afterRestoreAt(copy.url, { nothingLost: true })) ?? '', /^The database is a copy/)
      assert.equal(await afterRestoreAt(copy.url, {}), undefined)
      const numbers = 'select client_id, event_number, first_event_number from clients order by 1'
      assert.deepEqual(await copy.query(numbers), await service.sql(numbers))
    } finally {
      await copy.drop()
    }
  },
)

test('a dump that was restored over its own database is recognised by the row that names it', async () => {
  const [row] = await service.sql('delete from database_identity returning *')
  await service.sql(
    'insert into database_identity (system_identifier, database_id, timeline, written_by) values ($1, $2, $3, $4)',
    [row?.['system_identifier'], row?.['database_id'], row?.['timeline'], row?.['written_by']],
  )
  assert.match((await problem()) ?? '', /^The database was restored from a dump: run main\.ts after-restore/)
  const other = await service.sql(`update database_identity set system_identifier = 1 returning 1`)
  assert.equal(other.length, 1)
  assert.match((await problem()) ?? '', /^The database was written in another server/)
})

test('after-restore raises every number above all that was used, sends readers to the new start, and tells them', async () => {
  const feed = await lastEvents(service, operators)
  const [before_] = await service.sql('select event_number::int as n from clients where client_id = $1', [me.client_id])
  const last = Number(before_?.['n'])
  const endpoints = '/operator/v1/feed-endpoints/'
  await operators.ok('POST', endpoints, { url: 'https://erp.example/', cursor: feed.next_cursor })
  const lastOrder = await place()
  assert.match((await afterRestoreAt(service.databaseUrl, { margin: 1_000 })) ?? '', /^The database was written in/)
  assert.equal(await problem(), undefined)
  await service.checkInvariants()

  const movedBy = last + 1 + 1_000 // All that there were, with the order after it, and the margin.
  const read = (from: number) => service.request('GET', `/api/v1/events/?after=${from}`, { key: me.key })
  // Numbers that existed, and those of lost events up to the margin, are refused with the way to go on.
  for (const old of [0, last, last + 1, last + 900]) {
    const { status, body } = await read(old)
    assert.deepEqual([status, body.errors[0]?.code], [410, 'events_expired'])
    assert.deepEqual(body.errors[0]?.details, { after: old, first_event_number: movedBy + 1 })
  }
  const { body } = await read(movedBy)
  const events = body.data as { event_number: number; event_type: string; data: object }[]
  assert.deepEqual(events.map(({ event_number }) => event_number), Array.from({ length: last + 2 }, (_, n) => movedBy + 1 + n)) // prettier-ignore
  assert.deepEqual([events.at(-1)?.event_type, events.at(-1)?.data], ['service.restored', { events_moved_by: movedBy }])

  assert((await place()) > lastOrder + 1_000)
  // A reader of the feed goes on. It gets the events of the last transaction that it had read again, by their new numbers.
  const follow = async (cursor: string) => {
    const { events } = await operators.ok('GET', `/operator/v1/events/?limit=500&cursor=${cursor}`)
    return events as { client_id: number; event_number: number; event_type: string }[]
  }
  const followed = (await follow(feed.next_cursor)).filter(({ client_id }) => client_id === me.client_id)
  assert.deepEqual(
    followed.map(({ event_number, event_type }) => [event_number - movedBy, event_type]),
    [
      [last, 'order.created'],
      [last + 1, 'order.created'],
      [last + 2, 'service.restored'],
      [last + 3, 'order.created'],
    ],
  )
  // An endpoint of the feed goes on too, and gets none of them again.
  const [{ cursor }] = await operators.ok('GET', endpoints)
  const pushed = (await follow(cursor)).filter(({ client_id }) => client_id === me.client_id)
  assert.deepEqual(pushed, followed.slice(1))
  await service.checkInvariants()
  assert.equal(await afterRestoreAt(service.databaseUrl, {}), undefined)
})

test('a promoted standby is not a restored backup; a recovery to a moment, and one without a primary, are', () => {
  const same = { other_server: false, other_database: false, copied: false, other_timeline: true, has_target: false }
  assert.equal(causeOf({ ...same, was_standby: true }), undefined)
  assert.equal(causeOf({ ...same, was_standby: null }), undefined)
  assert.match(causeOf({ ...same, was_standby: false }) ?? '', /from an archive/)
  assert.match(causeOf({ ...same, has_target: true, was_standby: true }) ?? '', /to an earlier moment/)
  assert.equal(causeOf({ ...same, other_timeline: false, has_target: true, was_standby: null }), undefined)
})

test('after-restore moves expired events whose table is not dropped yet, however many they are', async () => {
  const { client_id } = await addClient(service)
  for (let n = 0; n < 30; n++)
    await operators.ok('POST', `/operator/v1/clients/${client_id}/contacts/`, { contact_name: 'Paula Weber' })
  await service.sql('select turn_event_tables(0)')
  await service.sql('update clients set first_event_number = event_number + 1') // All of them have expired.
  assert.equal(
    await afterRestoreAt(service.databaseUrl, { margin: 10, force: true }),
    'Nothing shows that the database was restored; forced',
  )
  await service.checkInvariants()
})
