/**
 * A rolling upgrade: migrations are applied under a running process, which then serves requests beside one of the new
 * version. Both run the same code here, because there is no released version yet; to the first process, the migrations
 * are those of a newer version.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { migrate } from '../migrate.ts'
import { migrationNames, migrationsDir, readMigrations } from '../migrations/migration-files.ts'
import { blockingStatements } from '../testing/blocking-statements.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'
import { startProcess, type Running } from '../testing/process.ts'
import { startService, type Body, type TestService } from '../testing/service.ts'

/** The kinds of changes that the rules allow, on the tables that requests read and write. */
const newer: Record<string, string> = {
  '9001_columns': `
    alter table orders add column note text, add column weight numeric(15, 3) not null default 0;
    alter table order_items add column note text;
    alter table carts add column color text not null default 'none';
    alter table events add column source text;
    alter table clients add column segment text;
    create table order_remarks (order_id bigint not null, note text not null);`,
  '9002_indexes': `-- outside a transaction
    create index concurrently orders_by_note on orders (client_id, note);
    create index concurrently events_by_source on events (source);`,
  '9003_constraint': 'alter table orders add constraint weight_known check (weight >= 0) not valid;',
  '9004_validated': `-- outside a transaction
    alter table orders validate constraint weight_known;`,
}

let service: TestService
let me: TestClient
let dir: string
const processes: Running[] = []

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  dir = mkdtempSync(join(tmpdir(), 'parts-upgrade-'))
  for (const name of migrationNames) copyFileSync(join(migrationsDir, `${name}.sql`), join(dir, `${name}.sql`))
  for (const [name, sql] of Object.entries(newer)) writeFileSync(join(dir, `${name}.sql`), sql)
})
after(async () => {
  for (const { child } of processes) child.kill('SIGKILL')
  rmSync(dir, { recursive: true })
  await service.close()
})

async function start(): Promise<Running> {
  const running = await startProcess('api', {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    STATEMENT_TIMEOUT_MS: '60000',
    SHUTDOWN_DELAY_MS: '0',
  })
  processes.push(running)
  return running
}

/** Reads and writes the tables that the migrations change. Every answer must be 200. */
async function shop({ address }: Running): Promise<void> {
  const request: TestService['request'] = async (method, path, { key = '', form } = {}) => {
    const answer = await fetch(address + path, {
      method,
      headers: { authorization: key },
      ...(form && { body: new URLSearchParams(form as Record<string, string>) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: {}, text, body: JSON.parse(text) as Body }
  }
  const { createCart, add, order, ok } = shopper({ ...service, request }, me)
  const cart_id = await createCart()
  await add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await order(cart_id)
  await ok('GET', `/api/v1/orders/${order_id}/`)
  await ok('GET', '/api/v1/orders/?limit=5')
  await ok('GET', '/api/v1/events/?limit=5')
}

test('migrations of a newer version are applied under traffic, and old and new processes serve side by side', async () => {
  for (const file of readMigrations(dir).filter(({ name }) => name in newer))
    assert.deepEqual(blockingStatements(file), [])
  const old = await start()
  const stopped = new AbortController()
  let rounds = 0
  const traffic = Promise.all(
    [1, 2, 3, 4].map(async () => {
      while (!stopped.signal.aborted) {
        await shop(old)
        rounds++
      }
    }),
  )
  const files = async (): Promise<unknown> =>
    service.sql(
      `select relname, relfilenode from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relname <> 'order_remarks' order by 1`,
    )
  const before_ = await files()
  await Promise.race([migrate(service.databaseUrl, () => undefined, dir), traffic])
  assert.deepEqual(await files(), before_) // No table was rewritten.
  const roundsBefore = rounds
  const successor = await start()
  for (const one of [old, successor]) {
    assert.equal((await fetch(`${one.address}/readyz`)).status, 200)
    await shop(one)
  }
  stopped.abort()
  await traffic
  assert(rounds > roundsBefore)
  const ended = once(old.child, 'exit')
  old.child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await shop(successor)
  await service.checkInvariants()
})
