/** `/readyz` names what is wrong with the database, and is 200 as soon as it is right again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { functionFiles } from '../functions/function-files.ts'
import { migrationNames } from '../migrations/migration-files.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { eventually } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

/** The status and the sentences of `/readyz`; no sentence when it is ready. */
async function readiness(): Promise<[status: number, problems: string[]]> {
  const { status, body } = await service.request('GET', '/readyz')
  const errors = body.errors ?? []
  for (const { code, message, details } of errors) {
    assert.equal(code, 'not_ready')
    assert.deepEqual(details, { problem: message })
  }
  return [status, errors.map(({ message }) => message)]
}

const ready = [200, []]

test('a database that has not been migrated is not ready', async () => {
  assert.deepEqual(await readiness(), ready)
  await service.sql('alter table migrations rename to of_something_else')
  assert.deepEqual(await readiness(), [503, ['The database has not been migrated: run npm run migrate.']])
  await service.sql('alter table of_something_else rename to migrations')
  assert.deepEqual(await readiness(), ready)
})

test('a database that lacks migrations of this version is not ready; those of a newer version do no harm', async () => {
  await service.sql(`update migrations set name = '9' || name where name >= '0006'`)
  const missing = migrationNames.filter((name) => name >= '0006')
  assert.deepEqual(await readiness(), [
    503,
    [
      `The database lacks ${missing.length} of ${migrationNames.length} migrations (${missing.join(', ')}): run npm run migrate.`,
    ],
  ])
  await service.sql(`update migrations set name = substr(name, 2) where name like '9%'`)
  await service.sql(`insert into migrations (name, run_on) values ('9999_of_a_newer_version', now())`)
  assert.deepEqual(await readiness(), ready)
})

test('a database that lacks functions of this version is not ready', async () => {
  await service.sql(`update installed_functions set file = 'of_something_else.sql' where file = 'place_order.sql'`)
  const lacking = `The database lacks 1 of ${functionFiles.length} functions (place_order.sql): run npm run migrate.`
  assert.deepEqual(await readiness(), [503, [lacking]])
  await service.sql(`update installed_functions set file = 'place_order.sql' where file = 'of_something_else.sql'`)
  assert.deepEqual(await readiness(), ready)
})

test('a database restored from a server with higher transaction ids is not ready until it is migrated', async () => {
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
  assert.deepEqual(await readiness(), ready)
  const [event] = await service.sql('select max(transaction_id::text::numeric)::text as newest from events')
  await service.sql(`update events set transaction_id = '9000000000' where transaction_id::text = $1`, [
    event?.['newest'],
  ])
  const [status, problems] = await readiness()
  assert.deepEqual([status, problems.length], [503, 1])
  assert.match(problems[0] ?? '', /^The newest event has a position that this server has not reached/)
  await service.sql('update events set transaction_id = pg_current_xact_id()')
  assert.deepEqual(await readiness(), ready)
})

test('a database that accepts no changes is not ready, and is ready when it does again', async () => {
  const database = new URL(service.databaseUrl).pathname.slice(1)
  const reconnect = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`
  await service.sql(`alter database ${database} set default_transaction_read_only = on`)
  await service.sql(reconnect).catch(() => undefined)
  await eventually(async () => (await service.request('GET', '/readyz')).body.errors?.[0]?.code === 'not_ready')
  assert.deepEqual(await readiness(), [
    503,
    ['The database accepts no changes: it is a standby, or it was set to read-only.'],
  ])
  await service.sql(
    `set default_transaction_read_only = off; alter database ${database} reset default_transaction_read_only`,
  )
  await service.sql(reconnect).catch(() => undefined)
  await eventually(async () => (await service.request('GET', '/readyz')).status === 200)
})
