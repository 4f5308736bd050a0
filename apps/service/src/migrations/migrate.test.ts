/** Migrations are applied once, in order, and while the service runs. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { migrationNames, migrationsDir } from './migration-files.ts'
import { migrate } from '../migrate.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'
import { createCluster } from 'pg-statements/testing-cluster.ts'
import { startPooler, withoutPooler } from 'pg-statements/testing-pooler.ts'

let service: TestService
let said: string[]
let dir: string
const say = (sentence: string): void => void said.push(sentence)

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())
beforeEach(() => {
  said = []
  dir = mkdtempSync(join(tmpdir(), 'parts-migrations-'))
  for (const name of migrationNames) copyFileSync(join(migrationsDir, `${name}.sql`), join(dir, `${name}.sql`))
})
afterEach(async () => {
  rmSync(dir, { recursive: true })
  await service.sql(`delete from migrations where name like '9%'`)
})

/** Adds a file to the migrations of this test. */
const write = (name: string, sql: string): void => writeFileSync(join(dir, `${name}.sql`), sql)

const applied = async (database: Pick<TestDatabase, 'query'>): Promise<unknown[]> =>
  (await database.query('select name from migrations order by id')).map((row) => row['name'])

async function onDatabase(
  work: (database: TestDatabase) => Promise<void>,
  create = createEmptyDatabase,
): Promise<void> {
  const database = await create()
  try {
    await work(database)
  } finally {
    await database.drop()
  }
}

test('several processes at once apply each migration once, and the others wait for the first', async () => {
  await onDatabase(async (database) => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, say)))
    assert.deepEqual(await applied(database), migrationNames)
    assert.equal(said.filter((sentence) => sentence.startsWith('Applied ')).length, migrationNames.length)
    assert.equal(said.filter((sentence) => sentence.startsWith('Another process is migrating')).length, 3)
    assert.equal(said.at(-1), `The database is up to date: ${migrationNames.length} migrations.`)
  })
})

test('a database that has been migrated half-way is continued', async () => {
  await onDatabase(async (database) => {
    const fifth = migrationNames[4] ?? ''
    write(fifth, 'create table half (way integer); select 1 / 0')
    await assert.rejects(migrate(database.url, say, dir), { name: 'MigrationProblem' })
    assert.deepEqual(await applied(database), migrationNames.slice(0, 4))
    said = []
    await migrate(database.url, say)
    assert.deepEqual(await applied(database), migrationNames)
    assert.equal(said.filter((sentence) => sentence.startsWith('Applied ')).length, migrationNames.length - 4)
  })
})

test('migrations of a newer version are left alone, and a missing earlier one is refused', async () => {
  await onDatabase(async (database) => {
    await database.query(`insert into migrations (name, run_on) values ('9999_of_a_newer_version', now())`)
    await migrate(database.url, say)
    assert.deepEqual(said, [`The database is up to date: ${migrationNames.length} migrations.`])
    await database.query(`delete from migrations where name = '0003_access'`)
    await assert.rejects(migrate(database.url, say), {
      name: 'MigrationProblem',
      message: /^The migration 0003_access is missing although the later \d{4}_\w+ has been applied\./,
    })
  }, createTestDatabase)
})

test('a database of an older numbering is refused before anything is changed, and the sentence says what to do', async () => {
  await onDatabase(async (database) => {
    const older = ['0001_catalogue', '0002_clients', '0003_access', '0004_carts', '0005_orders', '0006_events']
    await database.query(
      `truncate migrations; insert into migrations (name, run_on) select n, now() from unnest('{${older.join()}}'::text[]) n`,
    )
    await assert.rejects(migrate(database.url, say), {
      name: 'MigrationProblem',
      message:
        'The migration 0006_events has been applied, and this version has no such file: the database has the tables of an older numbering of the migrations, from before the first release. It cannot be upgraded: give DATABASE_URL an empty database.',
    })
    assert.deepEqual([await applied(database), said], [older, []])
  }, createTestDatabase)
})

test('a migration that this version skips, between its own, is refused without the advice to give up the database', async () => {
  await onDatabase(async (database) => {
    await database.query(`insert into migrations (name, run_on) values ('0500_of_another_line', now())`)
    write('0501_ours', 'select 1')
    await assert.rejects(migrate(database.url, say, dir), {
      name: 'MigrationProblem',
      message:
        'The migration 0500_of_another_line has been applied, and this version has no such file, but later ones: the database belongs to another line of versions. Use a version that has 0500_of_another_line.',
    })
  }, createTestDatabase)
})

test('of several servers in the URL, the first that accepts changes is migrated', async () => {
  await onDatabase(async (database) => {
    const url = new URL(database.url)
    await migrate(database.url.replace(url.host, `127.0.0.1:1,${url.host}`), say)
    assert.deepEqual(await applied(database), migrationNames)
    await database.query(`alter database ${url.pathname.slice(1)} set default_transaction_read_only = on`)
    await assert.rejects(migrate(database.url, say), {
      name: 'MigrationProblem',
      message: 'The database accepts no changes: it is a standby, or it was set to read-only.',
    })
  }, createTestDatabase)
})

test('a migration that fails changes nothing and names the reason', async () => {
  write('9001_wrong', 'alter table orders add column wrong text; select 1 / 0')
  await assert.rejects(migrate(service.databaseUrl, say, dir), {
    name: 'MigrationProblem',
    message: '9001_wrong failed, and nothing of it was applied: division by zero (22012).',
  })
  assert.deepEqual(await service.sql(`select 1 from pg_attribute where attname = 'wrong'`), [])
  assert(!(await applied({ query: service.sql })).includes('9001_wrong'))
})

test('a migration that waits for a lock does not stop requests, and is applied when the lock is free', async () => {
  const shop = shopper(service, await addClient(service))
  write('9001_waits', 'alter table orders add column waited text')
  const release = await holdRows(service.databaseUrl, 'select 1 from orders') // A forgotten session in psql.
  const held = performance.now()
  let isApplied = false
  const migrating = migrate(service.databaseUrl, say, dir).then(() => (isApplied = true))
  let slowestMs = 0
  let placed = 0
  const retries = (): string[] => said.filter((sentence) => sentence.startsWith('9001_waits could not get its lock'))
  while (retries().length < 3) {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 1 })
    const started = performance.now()
    await shop.order(cart_id)
    slowestMs = Math.max(slowestMs, performance.now() - started)
    placed++
  }
  const heldMs = performance.now() - held
  assert(!isApplied)
  await release()
  await migrating
  // Without a lock timeout, the first order would have waited as long as the lock was held.
  assert(placed >= 3 && slowestMs < heldMs * 0.75, JSON.stringify({ placed, slowestMs, heldMs }))
  assert.match(
    said[0] ?? '',
    /^9001_waits could not get its lock within 200 ms and lets other transactions pass\. The oldest open transaction is that of process \d+, for \d+\.\d s\. Attempt 2 in \d\.\d s\.$/,
  )
  assert.equal((await service.sql(`select 1 from pg_attribute where attname = 'waited'`)).length, 1)
})

test('an index is built concurrently: requests are served while it waits for an open transaction', async () => {
  const shop = shopper(service, await addClient(service))
  write('9001_index', '-- outside a transaction\ncreate index concurrently orders_by_city on orders (city);\n')
  const release = await holdRows(service.databaseUrl, `update orders set comment = 'changed'`)
  const migrating = migrate(service.databaseUrl, say, dir)
  await eventually(
    async () =>
      (await service.sql(`select 1 from pg_stat_progress_create_index where phase like 'waiting%' limit 1`)).length > 0,
  )
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
  assert.deepEqual(said, [])
  await release()
  await migrating
  assert.deepEqual(await validityOf('orders_by_city'), [true])
})

test('an index that an interrupted build left invalid is built again, and a completed one is kept', async () => {
  write(
    '9001_indexes',
    `-- outside a transaction
    create index concurrently if not exists orders_by_street on orders (street);
    create unique index concurrently orders_by_country on orders (country_code);`,
  )
  await service.sql('create index orders_by_street on orders (street)')
  await service.sql(`update pg_index set indisvalid = false where indexrelid = 'orders_by_street'::regclass`)
  await assert.rejects(migrate(service.databaseUrl, say, dir), {
    message:
      '9001_indexes failed in statement 2 of 2. The statements before it were applied; run it again: could not create unique index "orders_by_country" (23505).',
  })
  assert.deepEqual(await validityOf('orders_by_street'), [true])
  assert.deepEqual(await validityOf('orders_by_country'), []) // It would refuse new orders.
  const oidOf = async (index: string): Promise<unknown> =>
    (await service.sql('select $1::regclass::oid as oid', [index]))[0]?.['oid']
  const kept = await oidOf('orders_by_street')
  write('9001_indexes', '-- outside a transaction\ncreate index concurrently orders_by_street on orders (street);')
  await migrate(service.databaseUrl, say, dir)
  assert.equal(await oidOf('orders_by_street'), kept)
})

test('two processes build an index concurrently without waiting for one another', async () => {
  write('9001_index', '-- outside a transaction\ncreate index concurrently orders_by_zip on orders (zip);\n')
  await Promise.all([1, 2, 3].map(() => migrate(service.databaseUrl, say, dir)))
  assert.deepEqual(await validityOf('orders_by_zip'), [true])
  assert.equal(said.filter((sentence) => sentence.startsWith('Applied 9001_index')).length, 1)
})

test('a constraint is added for new rows at once and validated outside a transaction', async () => {
  write('9001_new_rows', `alter table orders add constraint city_known check (city <> '') not valid`)
  write('9002_all_rows', '-- outside a transaction\nalter table orders validate constraint city_known;')
  await migrate(service.databaseUrl, say, dir)
  const [constraint] = await service.sql(`select convalidated from pg_constraint where conname = 'city_known'`)
  assert.deepEqual(constraint, { convalidated: true })
})

const validityOf = async (index: string): Promise<unknown[]> =>
  (await service.sql('select indisvalid from pg_index where indexrelid = to_regclass($1)', [index])).map(
    ({ indisvalid }) => indisvalid,
  )

test(
  'it is refused through a pooler in transaction mode, which would keep its lock',
  { skip: withoutPooler },
  async () => {
    const cluster = await createCluster()
    const pooler = await startPooler(cluster, 'transaction')
    try {
      await assert.rejects(migrate(pooler.url, say), {
        name: 'UnusableDatabase',
        message: /pooler in transaction mode/,
      })
      assert.deepEqual((await cluster.query(`select to_regclass('migrations') as made`)).rows, [{ made: null }])
    } finally {
      await pooler.stop()
      await cluster.drop()
    }
  },
)
