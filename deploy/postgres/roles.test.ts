/** The roles of `roles.sql`: the service needs no more than to read and write rows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { parse } from 'yaml'
import { addRoles, as } from './add-roles.ts'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from '../../apps/service/src/app.ts'
import { openMainDatabase } from '../../apps/service/src/commands/connection.ts'
import { readConfig } from '../../apps/service/src/config.ts'
import { checkInvariants } from '../../apps/service/src/invariants/check-invariants.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { operatorRouteCases, routeCases } from '../../apps/service/src/route-cases.ts'
import { createEmptyDatabase } from '../../apps/service/src/testing/database.ts'
import { expireEvents } from '../../apps/service/src/events/expiry/expire-events.ts'
import { sealAuditDays } from '../../apps/service/src/keys/audit/seal-audit-days.ts'
import { addClient, addFixtures, shopper } from '../../apps/service/src/testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, sendAsOperator } from '../../apps/service/src/testing/operators.ts'
import { startService, type TestService } from '../../apps/service/src/testing/service.ts'
import { makeWorld } from '../../apps/service/src/testing/world.ts'
import { makeSecretBox } from '../../apps/service/src/webhooks/secrets/secret-box.ts'
import { jobsOf } from '../../apps/service/src/worker/jobs.ts'

let service: TestService

before(async () => {
  service = await startService({
    through: async (databaseUrl) => {
      addRoles(databaseUrl)
      return as('parts_service', databaseUrl)
    },
  })
  await addFixtures(service)
})
after(() => service.close())

test('the service works with a role that may only read and write rows: every route succeeds', async () => {
  const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
  const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`
  for (const route of clientSideRoutes({ config } as FeatureParts)) {
    const world = await makeWorld(service)
    const { data: _, path, ...sent } = (await routeCases[nameOf(route)]?.success(world)) ?? assert.fail(nameOf(route))
    const answer = await service.request(route.method, path, { key: world.me.key, ...sent })
    assert.equal(answer.status, 200, `${nameOf(route)} ${answer.text}`)
  }
  const operators = await makeOperators(service)
  for (const route of operatorSideRoutes({ config } as FeatureParts)) {
    const world = await makeOperatorWorld(service, operators)
    const { data: _, ...request } = (await operatorRouteCases[nameOf(route)]?.success(world)) ?? assert.fail(nameOf(route)) // prettier-ignore
    const answer = await sendAsOperator(service, route.method, request, operators.keys.admin)
    assert.equal(answer.status, 200, `${nameOf(route)} ${answer.text}`)
  }
  assert.equal((await service.request('GET', '/readyz')).status, 200)
})

test('so do the jobs of the worker', async () => {
  const box = makeSecretBox([])
  const days = { archiveAfterDays: 1, eraseAddressesAfterDays: 1, eventsKeptDays: 4, auditDays: 90 }
  const kept = { ordersKeptDays: 90, catalogueChangesKeptDays: 90, importsKeptDays: 90 }
  const jobs = jobsOf({ importDb: service.db, ...days, ...kept, box })
  for (const job of jobs)
    for await (const _ of job.run(service.db, { request_id: 'roles', cutOff: AbortSignal.timeout(60_000) })) break
})

test('so does dropping expired events, by a function of the owner; the new table can be used by all roles', async () => {
  for (let n = 0; n < 2; n++) {
    await addClient(service)
    await service.sql(`update events set event_datetime = now() - interval '91 days'`)
    await Array.fromAsync(expireEvents(service.db, { kept_days: 90 }))
    assert.deepEqual(await service.sql('select 1 from events'), [])
  }
  assert.deepEqual(
    await service.sql(`
      select relname, pg_get_userbyid(relowner) as owner,
        has_table_privilege('parts_service', oid, 'select') and has_table_privilege('parts_service', oid, 'insert')
          as used,
        has_table_privilege('parts_service', oid, 'update, delete, truncate') as changed,
        has_table_privilege('parts_reader', oid, 'select') and not has_table_privilege('parts_reader', oid, 'delete')
          as only_read
      from pg_class where oid in ('events'::text::regclass, 'events_before'::text::regclass) order by relname`),
    ['events', 'events_before'].map((relname) => ({
      relname,
      owner: 'parts_owner',
      used: true,
      changed: false,
      only_read: true,
    })),
  )
})

test('what happened can be added by the role of the service, and neither changed nor deleted', async () => {
  // What it does for a living succeeds, by functions of the owner.
  const { me, others } = { me: await addClient(service), others: await addClient(service) }
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  const operators = await makeOperators(service)
  await operators.ok('POST', `/operator/v1/clients/${others.client_id}/carts/`, { name: 'For you' })
  await operators.ok('PUT', '/operator/v1/stocks/1/', { stock_name: 'Berlin' })
  await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/`, {
    contact_name: 'Eva',
  })
  await operators.ok('POST', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`)
  const names = `select 1 from events where client_id = $1 and data::text like '%Eva%'`
  assert.deepEqual(await service.sql(names, [me.client_id]), [])
  assert.deepEqual(await service.sql(`select audit_action from audit_entries where client_id = $1 and audit_action like 'cart%'`, [others.client_id]), [{ audit_action: 'cart_created' }]) // prettier-ignore
  assert.equal((await service.sql('select 1 from events where order_id = $1', [order_id])).length, 1)
  await service.sql(`update audit_entries set audit_datetime = audit_datetime - interval '200 days'`)
  assert.equal((await Array.fromAsync(sealAuditDays(service.db, { kept_days: 90 }))).length, 2) // Sealed, and dropped.
  assert.deepEqual(await service.sql('select 1 from audit_entries'), [])

  await operators.ok('POST', `/operator/v1/clients/${others.client_id}/carts/`, { name: 'For you' })
  const client = new pg.Client({ connectionString: as('parts_service', service.databaseUrl) })
  await client.connect()
  try {
    for (const [table, column] of Object.entries({
      audit_counter: 'seals',
      audit_entries: 'request_id',
      audit_seals: 'sealed_at',
      events: 'request_id',
      events_before: 'request_id',
      catalogue_changes: 'request_id',
    }))
      for (const forbidden of [
        `update ${table} set ${column} = default`,
        `delete from ${table}`,
        `truncate ${table}`,
        `select * from ${table} for update`,
      ])
        await assert.rejects(client.query(forbidden), { code: '42501' }, forbidden)
    await assert.rejects(client.query(`insert into audit_seals (day) values ('2026-01-01')`), { code: '42501' })
    await assert.rejects(client.query('alter table audit_entries disable trigger all'), { code: '42501' })
    await assert.rejects(client.query('select drop_audit_day(0)'), { code: '22023' })
  } finally {
    await client.end()
  }
})

test('the role of the service cannot change the schema, empty a table, or read files of the server', async () => {
  const client = new pg.Client({ connectionString: as('parts_service', service.databaseUrl) })
  await client.connect()
  try {
    for (const forbidden of [
      'create table public.more (n integer)',
      'alter table orders drop constraint orders_pkey cascade',
      'alter table orders disable trigger all',
      'drop table orders',
      'truncate orders cascade',
      'create role another',
      `select pg_read_file('postgresql.conf')`,
      `copy orders to program 'cat'`,
    ])
      await assert.rejects(client.query(forbidden), { code: '42501' }, forbidden)
  } finally {
    await client.end()
  }
})

test('the role that only reads can check the invariants, and cannot change a row', async () => {
  const url = as('parts_reader', service.databaseUrl)
  const db = openMainDatabase(readConfig({ DATABASE_URL: url }))
  try {
    assert.deepEqual(await checkInvariants(db), [])
  } finally {
    await db.close()
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await assert.rejects(client.query(`update clients set client_name = 'x'`), { code: '25006' })
    await client.query('set default_transaction_read_only = off')
    await assert.rejects(client.query(`update clients set client_name = 'x'`), { code: '42501' })
    const calls = [
      'turn_event_tables(4)',
      'seal_audit_day()',
      'drop_audit_day(90)',
      `erase_event_names(1, 1, '{}')`,
      `erase_event_messages('{}')`,
      `erase_event_actors('{}')`,
    ]
    for (const call of calls) await assert.rejects(client.query(`select ${call}`), { code: '42501' }, call)
  } finally {
    await client.end()
  }
})

test('the role of the exporter can ask everything that the alerts need, on a primary, and reads no row', async () => {
  const text = readFileSync(join(import.meta.dirname, '../prometheus/postgres.yml'), 'utf8')
  const queries = parse(text) as Record<string, { query: string; metrics: Record<string, object>[] }>
  const client = new pg.Client({ connectionString: as('parts_monitor', service.databaseUrl) })
  await client.connect()
  try {
    for (const [name, { query, metrics }] of Object.entries(queries)) {
      const { fields, rowCount } = await client.query(query)
      assert.deepEqual(fields.map((field) => field.name), metrics.flatMap((metric) => Object.keys(metric)), name) // prettier-ignore
      assert.equal(rowCount === 0, name === 'parts_pg_standby', name)
    }
    await assert.rejects(client.query('select client_name from public.clients'), { code: '42501' })
  } finally {
    await client.end()
  }
})

test('the owner migrates an empty database, and what it creates can be used by the other roles', async () => {
  const database = await createEmptyDatabase()
  try {
    addRoles(database.url)
    await migrate(as('parts_owner', database.url), () => undefined)
    const kept = (): Promise<unknown[]> =>
      database.query(`
        select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not has_table_privilege('parts_service', oid, 'update, delete')
        order by relname`)
    const names = ['audit_counter', 'audit_entries', 'audit_seals', 'catalogue_changes', 'events', 'events_before']
    const expected = names.map((name) => ({ name }))
    assert.deepEqual(await kept(), expected) // The migrations take from the role what it gets by default,
    addRoles(database.url)
    assert.deepEqual(await kept(), expected) // and so does the file, when it is run again.
    const tables = await database.query(`
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not (relowner = 'parts_owner'::regrole
          and has_table_privilege('parts_service', oid, 'select')
          and has_table_privilege('parts_reader', oid, 'select')
          and not has_table_privilege('parts_reader', oid, 'insert'))`)
    assert.deepEqual(tables, [])
  } finally {
    await database.drop()
  }
})
