import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { installFunctions } from './functions/install-functions.ts'
import { applyMigration, type Say } from './migrations/apply-migration.ts'
import { baselineEnd, migrationsDir, readMigrations, type Migration } from './migrations/migration-files.ts'
import { readHosts } from 'pg-statements/hosts.ts'
import { refuseTransactionPooler } from 'pg-statements/engine/pooler.ts'
import { MigrationProblem, OlderNumbering } from './migrations/migration-problem.ts'

const migrationsLock = '7241865325823964' // Any number that nothing else locks.
const lockPollMs = 250

/** A dump was restored into a server that counts lower transaction ids: later events would come before stored ones. */
const raiseIfBehind = `do $$ begin
  if to_regproc('raise_event_positions') is not null then -- Not before 0018_event_positions.sql.
    perform raise_event_positions()
    where exists (select from clients where event_transaction >= event_position(pg_current_xact_id()));
  end if;
end $$`

/** Applies the migrations that are missing and installs the functions that have changed. Several processes may call this at once: they take turns. */
export async function migrate(databaseUrl: string, say: Say, dir = migrationsDir): Promise<void> {
  const client = await connect(databaseUrl)
  try {
    await refuseUnsuitableDatabase(client)
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0')
    await takeTurn(client, say)
    const migrations = readMigrations(dir)
    for (const migration of await missingOf(client, migrations)) await applyMigration(client, migration, say)
    await installFunctions(client, join(dir, '../src'), say)
    await client.query(raiseIfBehind)
    say(`The database is up to date: ${migrations.length} migrations.`)
  } finally {
    await client.end() // Releases the lock.
  }
}

/** Connects to the first server of the URL that accepts changes. */
async function connect(databaseUrl: string): Promise<pg.Client> {
  let failure: unknown
  for (const connectionString of readHosts(databaseUrl, new Set()).urls) {
    const client = new pg.Client({ connectionString, application_name: 'parts migrate' })
    client.on('error', () => {
      // The server is gone. The statement in progress fails and reports it.
    })
    try {
      await client.connect()
      const { rows } = await client.query<{ read_only: boolean; pid: number }>(
        `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
           pg_backend_pid() as pid`,
      )
      await refuseTransactionPooler(client, connectionString, rows[0]?.pid ?? 0) // It would keep our lock.
      if (rows[0]?.read_only === false) return client
      await client.end()
      failure ??= new MigrationProblem('The database accepts no changes: it is a standby, or it was set to read-only.')
    } catch (error) {
      failure ??= error // That of the first server says most.
    }
  }
  throw failure
}

/** Vendor codes are compared ignoring case, by `lower`. With the locale C it changes only the letters a to z. */
async function refuseUnsuitableDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ suitable: boolean }>(
    `select getdatabaseencoding() = 'UTF8' and lower('ÄЖ') = 'äж' as suitable`,
  )
  if (!rows[0]?.suitable) {
    throw new MigrationProblem(
      `The database must have the encoding UTF8 and a locale with upper and lower case for all scripts, such as C.UTF-8: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'.`,
    )
  }
}

/**
 * Asks again and again instead of waiting in PostgreSQL: the statement that waits would hold a snapshot, and the
 * concurrent build of an index by the process that has the lock would wait for it in turn.
 */
async function takeTurn(client: pg.Client, say: Say): Promise<void> {
  for (let waited = false; ; waited = true) {
    const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [migrationsLock])
    if (rows[0]?.free === true) return
    if (!waited) say('Another process is migrating this database. Waiting for it to end.')
    await sleep(lockPollMs)
  }
}

/**
 * Migrations of a newer version may be applied already: their names come after ours. Any other difference means a wrong
 * database.
 */
async function missingOf(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  await client.query(
    'create table if not exists migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  )
  const { rows } = await client.query<{ name: string }>('select name from migrations')
  const applied = new Set(rows.map(({ name }) => name))
  const names = migrations.map(({ name }) => name)
  const unknown = [...applied].find((name) => !names.includes(name) && name < (names.at(-1) ?? ''))
  if (unknown !== undefined && unknown > baselineEnd)
    throw new MigrationProblem(
      `The migration ${unknown} has been applied, and this version has no such file, but later ones: the database belongs to another line of versions. Use a version that has ${unknown}.`,
    )
  if (unknown !== undefined)
    throw new OlderNumbering(
      `The migration ${unknown} has been applied, and this version has no such file: the database has the tables of an older numbering of the migrations, from before the first release. It cannot be upgraded: give DATABASE_URL an empty database.`,
    )
  const missing = migrations.filter(({ name }) => !applied.has(name))
  const [first] = missing
  const later = migrations.findLast(({ name }) => applied.has(name))
  if (first !== undefined && later !== undefined && later.name > first.name)
    throw new MigrationProblem(
      `The migration ${first.name} is missing although the later ${later.name} has been applied. The table migrations was changed by hand, or ${first.name} was added with a number that is too low.`,
    )
  return missing
}
