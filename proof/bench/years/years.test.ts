/** The command on a small database: two days are simulated, and the clock and the vacuums do what they should. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { databaseUrl, dropDatabase } from '../load/databases.ts'
import { plotTableSizes } from '../run/plots.ts'
import { resetAutovacuumSettings, vacuumAsAutovacuum } from './autovacuum.ts'
import { tablesText } from './report.ts'
import { beside, simulateYears } from './years.ts'

const server = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const database = new URL(server)
database.pathname = `/bench_test_years_${process.pid}`
const url = databaseUrl(database.href)
const copies = [beside(url, 'first'), beside(url, 'rebuilt')]

after(async () => {
  for (const one of [url, ...copies]) await dropDatabase(one)
})

async function query<R extends object>(connectionString: string, text: string): Promise<R | undefined> {
  const session = new Client({ connectionString })
  await session.connect()
  try {
    return (await session.query<R>(text)).rows[0]
  } finally {
    await session.end()
  }
}

const settings = { days: 2, ordersPerDay: 2, plain: false, only: [], rounds: 1, seconds: 1, clients: 10, items: 1_000 }

test('days are simulated with their orders, imports, deliveries and jobs, and the invariants hold', async () => {
  const shown: string[] = []
  const result = await simulateYears(url, settings, (text) => shown.push(text))
  const { done, tables, months } = result
  assert.equal(done['carts'], 4)
  for (const what of ['imported rows', 'processing', 'shipped', 'completed', 'deliveries', 'count-figures'])
    assert((done[what] ?? 0) > 0, `${what}: ${JSON.stringify(done)}`)
  assert(Object.keys(done).every((what) => !what.startsWith('carts refused')))
  const rows = (when: keyof typeof tables, table: string): number => tables[when][table]?.rows ?? 0
  assert.equal(rows('first', 'orders'), 2 * 730)
  assert((done['orders'] ?? 0) > 0)
  assert.equal(rows('aged', 'orders'), rows('first', 'orders') + (done['orders'] ?? 0))
  for (const table of Object.keys(tables.aged)) assert.equal(rows('rebuilt', table), rows('aged', table), table)
  assert.deepEqual(
    months.map(({ day }) => day),
    [0, 1, 2],
  )
  assert.match(shown.join(''), /^day 1: .*\nday 2: \d orders, /)
  assert.match(tablesText(result), /\norders +1,460 /)
  assert.match(plotTableSizes(months), /<polyline .*<\/svg>/s)
})

test('rows of a simulated day have its time, also those whose column has a default', async () => {
  const newest = await query<{ orders: number; deliveries: number }>(
    url,
    `select extract(day from max(order_create_datetime) - pg_catalog.now())::integer as orders,
       (select extract(day from max(attempted_at) - pg_catalog.now())::integer from webhook_deliveries) as deliveries
     from orders`,
  )
  // Some seconds less than two days ahead of the present.
  assert.deepEqual(newest, { orders: 1, deliveries: 1 })
})

test('a table is vacuumed when its dead rows exceed its own threshold', async () => {
  const session = new Client({ connectionString: copies[1] })
  await session.connect()
  try {
    await session.query('select pg_stat_reset()')
    await session.query(
      'alter table prices set (autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0)',
    )
    const change = async (rows: number): Promise<number> => {
      await session.query(
        `update prices set price = price + 1 where price_list_id = 1 and item_id <= ${rows} and pg_stat_force_next_flush() is not null`,
      )
      const count = new Map<string, number>()
      await vacuumAsAutovacuum(session, { count })
      return count.get('prices') ?? 0
    }
    assert.equal(await change(50), 0)
    assert.equal(await change(60), 1)
    assert.equal(await change(60), 0)
    await resetAutovacuumSettings(session)
    assert.equal(await change(300), 0, 'a fifth of all prices is more')
  } finally {
    await session.end()
  }
})
