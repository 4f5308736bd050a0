/** What versions stored that knew operators by name only: before 0011_operators.sql, and while it is deployed. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eraseOperator } from './erase-operator.ts'
import { openMainDatabase } from '../../commands/connection.ts'
import { readConfig } from '../../config.ts'
import { migrate } from '../../migrate.ts'
import { baselineEnd, migrationNames, migrationsDir } from '../../migrations/migration-files.ts'
import { createEmptyDatabase, type TestDatabase } from '../../testing/database.ts'
import { byTheTests } from '../../testing/fixtures.ts'
import type { Database } from 'pg-statements/database.ts'

let database: TestDatabase
let db: Database

const key = 'operator key 3, Maria Quellmann'
const account = 'operator session 9, Maria Quellmann'

/** As statements of the version before store it. */
const earlierKey = (key_id: number, name: string): Promise<unknown> =>
  database.query(
    `insert into operator_keys (key_id, operator_name, role, digest, issued_by) values ($1, $2, 'admin', sha256('x'), $3)`,
    [key_id, name, key],
  )
const earlierSession = (session_id: number, owner: string, key_id: number | null): Promise<unknown> =>
  database.query(
    `insert into operator_sessions (session_id, owner, key_id, operator_name, role, digest, expires_at, idle_seconds)
     values ($1, $2, $3, 'Maria Quellmann', 'admin', sha256('x'), now(), 60)`,
    [session_id, owner, key_id],
  )
const earlierEntry = (actor: string, session_id: number | null = null): Promise<unknown> =>
  database.query(
    `insert into audit_entries (audit_action, session_id, actor, request_id) values ('session_started', $1, $2, '')`,
    [session_id, actor],
  )
const earlierChange = (actor: string): Promise<unknown> =>
  database.query(`insert into catalogue_changes (changed, data, actor, request_id) values ('item', '{}', $1, '')`, [
    actor,
  ])
/** Without its order: nothing here reads it. */
const earlierNote = (actor: string): Promise<unknown> =>
  database.query(
    `insert into events (client_id, event_number, event_type, data, actor, request_id)
     select 1, count(*) + 1, 'test', '{}', $1, '' from events`,
    [actor],
  )

before(async () => {
  database = await createEmptyDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'parts-migrations-'))
  for (const name of migrationNames.filter((one) => one <= baselineEnd))
    copyFileSync(join(migrationsDir, `${name}.sql`), join(dir, `${name}.sql`))
  await migrate(database.url, () => undefined, dir)
  rmSync(dir, { recursive: true })
  await earlierKey(3, 'Maria Quellmann')
  await earlierSession(8, 'key 3', 3)
  await earlierSession(9, 'oidc maria', null)
  for (const actor of [key, account, 'key 7', 'the command line', `${key}, for client 5`, 'operator session 1, Gone']) {
    await earlierEntry(actor)
    await earlierChange(actor)
    await earlierNote(actor)
  }
  await earlierEntry('operator Maria Quellmann, by the identity provider', 9)
  await database.query(
    `insert into operator_views (owner, owner_name, view_name, filters, shared)
     values ('key 3', 'Maria Quellmann', 'Late', 'held=true', true), ('oidc gone', 'Gone', 'Held', 'held=true', true)`,
  )
  await database.query(`insert into imports (import_kind, mode, actor, request_id) values ('items', 'all', $1, '')`, [
    key,
  ])
  await migrate(database.url, () => undefined)
  db = openMainDatabase({ ...readConfig({ DATABASE_URL: database.url }), poolSize: 1 })
})
after(async () => {
  await db.close()
  await database.drop()
})

const column = async (sql: string): Promise<string[]> =>
  (await database.query(sql)).map((row) => String(Object.values(row)[0]))

test('the migration names operators by ids where texts are kept for good, and leaves those of nobody as they are', async () => {
  const [person] = await database.query(`select operator_id::int from operators where subject = 'maria'`)
  const id = Number(person?.['operator_id'])
  const named = [
    'operator 3 key 3',
    `operator ${id} session 9`,
    'key 7',
    'the command line',
    'operator 3 key 3, for client 5',
    'operator session 1',
  ]
  assert.deepEqual(await column('select actor from catalogue_changes order by change_id'), named)
  const entries = await column('select actor from audit_entries order by audit_id')
  assert.deepEqual(entries, [...named, `operator ${id} session 9`])
  assert.deepEqual(await column('select actor from imports'), ['operator 3 key 3'])
  assert.deepEqual(await column('select owner from operator_sessions order by session_id'), [
    'operator 3',
    `operator ${id}`,
  ])
  const [owner, other] = await column('select owner from operator_views order by view_id')
  assert.equal(owner, 'operator 3')
  assert.deepEqual(await column(`select operator_name from operators where 'operator ' || operator_id = '${other}'`), [
    'Gone',
  ])
  assert.deepEqual(await column(`select distinct operator_name from operator_keys`), [''])
})

test('what is left in events is shown by id and with the present name', async () => {
  await database.query(`update operators set operator_name = 'Maria Neuname' where operator_id = 3`)
  const [person] = await column(`select operator_id from operators where subject = 'maria'`)
  assert.deepEqual(await column('select shown_actor(actor) from events order by event_number'), [
    'operator 3 key 3, Maria Neuname',
    `operator ${person} session 9, Maria Quellmann`,
    'key 7',
    'the command line',
    'operator 3 key 3, Maria Neuname, for client 5',
    'operator session 1',
  ])
})

test('keys, sessions and entries of a process of the version before get operators, and keep no name', async () => {
  await earlierKey(21, 'Ben\nFalse entry, for client 5')
  await earlierSession(22, 'key 21', 21)
  await earlierSession(23, 'oidc maria', null)
  await earlierSession(24, 'oidc nina', null)
  const [, , ben, maria, nina] = await column('select operator_id from operator_sessions order by session_id')
  assert.deepEqual(await column('select operator_id from operator_keys where key_id = 21'), [ben])
  assert.deepEqual(await column(`select operator_id from operators where subject = 'maria'`), [maria])
  assert.deepEqual(await column(`select operator_id from operators where subject = 'nina'`), [nina])
  await earlierEntry('operator key 21, Ben\nFalse entry, for client 5, for client 6')
  await earlierEntry('operator Nina, by the identity provider', 24)
  await earlierChange('operator session 23, Maria')
  assert.deepEqual(await column('select actor from audit_entries order by audit_id desc limit 2'), [
    `operator ${nina} session 24`,
    `operator ${ben} key 21, for client 6`,
  ])
  assert.deepEqual(await column('select actor from catalogue_changes order by change_id desc limit 1'), [
    `operator ${maria} session 23`,
  ])
})

test('erasing an operator of that time rewrites what is left of its name', async () => {
  for (const operator_id of await column('select operator_id from operators order by 1'))
    await eraseOperator(db, { operator_id: Number(operator_id), ...byTheTests })
  const tables = await column(
    `select relname::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  const holding: string[] = []
  for (const table of tables)
    holding.push(
      ...(await column(`select '${table}' from ${table} t where t::text ~ 'Maria|Quellmann|Neuname|Ben|nina'`)),
    )
  assert.deepEqual(holding, [])
  assert.deepEqual(await column('select shown_actor(actor) from events order by event_number limit 1'), [
    'operator 3 key 3, Erased operator',
  ])
})
