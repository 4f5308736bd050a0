/** The functions in the database are sound, are installed with the migrations, and can be replaced while the service runs. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { functionFiles, functionsDir, readFunctions } from './function-files.ts'
import { migrate } from '../migrate.ts'
import { orderInputValues } from '../orders/order-input.ts'
import { migrationsDir } from '../migrations/migration-files.ts'
import { sqlStatements } from '../migrations/sql-statements.ts'
import { addClient, addFixtures, address, shopper } from '../testing/fixtures.ts'
import { startService, type TestService } from '../testing/service.ts'
import { statements } from 'pg-statements/statement.ts'

let service: TestService
let version: string
let said: string[]
const say = (sentence: string): void => void said.push(sentence)

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())
beforeEach(() => {
  said = []
  version = mkdtempSync(join(tmpdir(), 'parts-version-'))
  cpSync(migrationsDir, join(version, 'migrations'), { recursive: true })
  mkdirSync(join(version, 'src/orders'), { recursive: true })
})
afterEach(() => rmSync(version, { recursive: true }))

const write = (name: string, sql: string): void => writeFileSync(join(version, 'src/orders', `${name}.sql`), sql)
const migrateTo = (): Promise<void> => migrate(service.databaseUrl, say, join(version, 'migrations'))
const installed = (): string[] => said.filter((sentence) => sentence.startsWith('Installed'))

test('each file creates what it is called after, and nothing but functions and views', () => {
  const files = readFunctions(functionsDir)
  assert(files.length > 20)
  for (const { file, text } of files) {
    const created = sqlStatements(text).map(
      ({ code }) => /^create or replace (?:function|view) (\w+)/.exec(code)?.[1] ?? code,
    )
    assert(created.includes(file.replace(/\.sql$/, '')) || /^(cart_group_key|order_goods)\.sql$/.test(file), file)
    assert(
      created.every((name) => /^\w+$/.test(name)),
      `${file}: ${created.join(', ')}`,
    )
  }
  assert.equal(new Set(functionFiles).size, functionFiles.length)
})

test('plpgsql_check finds no fault in any function', async (t) => {
  const available = await service.sql(`select from pg_available_extensions where name = 'plpgsql_check'`)
  if (available.length === 0) return t.skip('The server has no plpgsql_check: postgresql-NN-plpgsql-check on Debian.')
  await service.sql('create extension plpgsql_check')
  const faults = await service.sql(`
    select p.proname as function, f.lineno as line, f.message, f.detail
    from pg_proc p
    cross join lateral plpgsql_check_function_tb(p.oid, fatal_errors => false, extra_warnings => false) f
    where p.prolang = (select oid from pg_language where lanname = 'plpgsql') and p.pronamespace = 'public'::regnamespace
      and p.prorettype <> 'trigger'::regtype`)
  assert.deepEqual(faults, [])
  await service.sql('drop extension plpgsql_check')
})

test('migrate installs a changed file once; the version before can put its own back', async () => {
  const body = (answer: number): string =>
    `create or replace function newest_answer() returns integer language sql as $$ select ${answer} $$;`
  const answer = async (): Promise<unknown> => (await service.sql('select newest_answer() as answer'))[0]?.['answer']
  write('newest_answer', body(1))
  await migrateTo()
  await migrateTo()
  assert.deepEqual([await answer(), installed()], [1, ['Installed functions: newest_answer.']])
  write('newest_answer', body(2))
  await migrateTo()
  assert.equal(await answer(), 2)
  write('newest_answer', body(1))
  await migrateTo()
  assert.equal(await answer(), 1)
})

test('the version before puts its functions back beside a view that has more columns since, and loses none', async () => {
  const file = (columns: string, answer: number): string =>
    `create or replace view newest_view as select ${columns};
     create or replace function newest_total() returns bigint language sql as $$ select sum(one) + ${answer} from newest_view $$;`
  const found = async (): Promise<unknown> =>
    (await service.sql('select v.*, newest_total()::integer as total from newest_view v'))[0]
  write('newest_view', file('1 as one', 10))
  await migrateTo()
  write('newest_view', file('1 as one, 2 as two', 20))
  await migrateTo()
  assert.deepEqual(await found(), { one: 1, two: 2, total: 21 })
  write('newest_view', file('1 as one', 10))
  await migrateTo()
  assert.deepEqual(await found(), { one: 1, two: 2, total: 11 })
  write('newest_view', file('1 as other, 2 as two', 20))
  await assert.rejects(migrateTo(), /cannot change name of view column "one" to "other" \(42P16\)/)
  assert.deepEqual(await found(), { one: 1, two: 2, total: 11 })
})

test('a file that fails leaves all functions as they were', async () => {
  write('first_function', 'create or replace function first_function() returns integer language sql as $$ select 1 $$;')
  write('wrong_function', 'create or replace function wrong_function() returns nothing language sql as $$ select 1 $$;')
  await assert.rejects(migrateTo(), {
    name: 'MigrationProblem',
    message: 'Installing functions failed, and nothing of it was applied: type "nothing" does not exist (42704).',
  })
  assert.deepEqual(await service.sql(`select from pg_proc where proname = 'first_function'`), [])
  assert.deepEqual(await service.sql(`select from installed_functions where file = 'first_function.sql'`), [])
})

test('functions are replaced while orders are placed, and none of them fails', async () => {
  const shop = shopper(service, await addClient(service))
  const files = readFunctions(functionsDir)
  const ended = new AbortController()
  const orders = (async () => {
    let placed = 0
    for (; !ended.signal.aborted; placed++) {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 1 })
      await shop.order(cart_id)
    }
    return placed
  })()
  for (let n = 0; n < 10; n++) {
    for (const { file, text } of files) write(file.replace(/\.sql$/, ''), `${text}-- ${n}\n`)
    await migrateTo()
  }
  ended.abort()
  assert((await orders) > 0)
  assert.equal(installed().length, 10)
  await migrate(service.databaseUrl, say)
  await service.checkInvariants()
})

test('what is refused before anything is written is returned, so that PostgreSQL logs no error', async () => {
  const client = await addClient(service)
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 100_000 })
  const [group] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  const [cart_group = '', shown_lines, shown_prices, shown_terms] = String(group.cart_group_key).split('-')
  const placing = statements.get('place-order')
  assert(placing)
  const answer = await service.db.row(placing, {
    ...orderInputValues(address),
    client: client.client_id,
    cart_group: Number(cart_group),
    shown_lines,
    shown_prices,
    shown_terms,
    shown_virtual: false,
    request_digest: Buffer.from(''),
    metadata: null,
    contact: null,
    remark: '',
    actor: 'key 1',
    request_id: 'r',
  })
  assert(answer)
  const [refused] = answer['refused'] as { code: string }[]
  assert.deepEqual([answer['created_order_id'], refused?.code], [null, 'out_of_stock'])
})
