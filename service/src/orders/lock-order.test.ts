/** Placing an order locks stock levels by item, whatever plan PostgreSQL chooses: small tables invite to scan them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { sessionOptions } from 'pg-statements/session-settings.ts'
import { statements } from 'pg-statements/statement.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let session: pg.Client

before(async () => {
  service = await startService()
  await addFixtures(service)
  const options = sessionOptions({ timeZone: 'UTC', statementTimeoutMs: 5_000 }) // They decide about the plans.
  session = new pg.Client({ connectionString: service.databaseUrl, options })
  await session.connect()
})
after(async () => {
  await session.end()
  await service.close()
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Subplan Name'?: string
  readonly 'CTE Name'?: string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

async function planOf(name: string): Promise<PlanNode[]> {
  const { text, order, parameters } = statements.get(name) ?? assert.fail(name)
  await session.query(`prepare planned (${order.map((one) => parameters[one]?.name).join(', ')}) as ${text}`)
  const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json) execute planned (${order.map(() => 'null').join(', ')})`,
  )
  await session.query('deallocate planned')
  return allOf(rows[0]?.['QUERY PLAN'][0].Plan ?? assert.fail())
}

/** A node and those below it; of a join the outer side first, which drives it. */
const allOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(allOf)]

const stepOf = (nodes: readonly PlanNode[], name: string): PlanNode =>
  nodes.find((node) => node['Subplan Name'] === `CTE ${name}`) ?? assert.fail(name)

/** `lines` is sorted by its `order by`; what has to be shown is that its rows drive the update. */
async function assertOrder(name: string): Promise<void> {
  const update = allOf(stepOf(await planOf(name), 'reserved'))
  const kinds = new Set(update.map((node) => node['Node Type']).filter((kind) => !kind.endsWith('Scan')))
  assert.deepEqual([...kinds], ['ModifyTable', 'Nested Loop'])
  const tables = update.flatMap((node) => node['CTE Name'] ?? node['Relation Name'] ?? [])
  assert.deepEqual(
    tables.filter((table) => table !== 'exposed' && table !== 'terms'), // One row each.
    ['stock_levels', 'lines', 'stock_levels'], // What is updated, what drives the join, what is found.
  )
}

for (const name of ['place-order', 'order-for-client']) {
  test(`${name} finds the stock levels in the order of the sorted lines`, async () => {
    await assertOrder(name)
    await service.sql('analyze')
    await assertOrder(name) // Tables of one page.
    await service.sql(`
      insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
      select n, 11, 1, 'R-' || n, '', 'Part ' || n from generate_series(20001, 40000) n on conflict do nothing`)
    await service.sql(`
      insert into stock_levels (stock_id, item_id, on_hand) select 1, n, 100 from generate_series(20001, 40000) n
      on conflict do nothing`)
    const shop = shopper(service, await addClient(service))
    const cart_id = await shop.createCart()
    for (const item_id of [1, 2, 3]) await shop.add(cart_id, { item_id, quantity: 1 })
    await service.sql('analyze')
    await assertOrder(name)
  })
}
