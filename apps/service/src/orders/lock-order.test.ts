/**
 * Placing an order locks stock levels by item, whatever plan PostgreSQL chooses: small tables invite to scan them. Orders
 * of the same item queue for it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { sessionOptions } from 'pg-statements/session-settings.ts'
import { withPlans } from 'pg-statements/testing-plans.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually } from '../testing/process.ts'
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
  readonly Alias?: string
  readonly Plans?: readonly PlanNode[]
}

/** The plan with which `reserve_items` updated the levels. */
async function updatePlan(): Promise<PlanNode> {
  await session.query('begin')
  const { plans } = await withPlans(session, 'json', () =>
    session.query(`select reserve_items(1, '{1,2,3}', '{1,1,1}')`),
  )
  await session.query('rollback')
  const nodes = plans.map((plan) => (JSON.parse(plan) as { Plan: PlanNode }).Plan)
  return nodes.find((node) => node['Node Type'] === 'ModifyTable') ?? assert.fail(plans.join('\n'))
}

/** A node and those below it; of a join the outer side first, which drives it. */
const allOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(allOf)]

/** The caller has sorted the items; what has to be shown is that they drive the update. */
async function assertOrder(): Promise<void> {
  const nodes = allOf(await updatePlan())
  assert.deepEqual(
    nodes.slice(0, 3).map((node) => [node['Node Type'], node.Alias ?? '']),
    [
      ['ModifyTable', 'v'],
      ['Nested Loop', ''],
      ['Function Scan', 'l'],
    ],
  )
  assert(nodes.slice(3).every(({ Alias = 'v' }) => Alias === 'v'))
}

test('stock levels are found in the order of the sorted items, in tables of any size', async () => {
  await assertOrder()
  await service.sql('analyze')
  await assertOrder() // Tables of one page.
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'R-' || n, '', 'Part ' || n from generate_series(20001, 40000) n`)
  await service.sql(`
    insert into stock_levels (stock_id, item_id, on_hand) select 1, n, 100 from generate_series(20001, 40000) n`)
  await service.sql('analyze')
  await assertOrder()
})

test('orders of the same item queue, and one at a time waits for its level: a commit wakes one order', async () => {
  const shops = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const shop = shopper(service, await addClient(service))
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 2, quantity: 1 })
      return { shop, cart_id }
    }),
  )
  const reserved = async (): Promise<number> =>
    Number((await service.sql('select reserved from stock_levels where stock_id = 1 and item_id = 2'))[0]?.['reserved'])
  const waiting = async (): Promise<unknown> =>
    (
      await service.sql(`
        select count(*) filter (where wait_event = 'advisory')::int as queued,
          count(*) filter (where wait_event in ('transactionid', 'tuple'))::int as at_row
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
    )[0]
  const before_ = await reserved()
  const release = await holdRows(
    service.databaseUrl,
    'select from stock_levels where stock_id = 1 and item_id = 2 for update',
  )
  const orders = shops.map(({ shop, cart_id }) => shop.order(cart_id))
  try {
    await eventually(async () => isDeepStrictEqual(await waiting(), { queued: 4, at_row: 1 }))
  } finally {
    await release()
  }
  await Promise.all(orders)
  assert.equal(await reserved(), before_ + 5)
  await service.checkInvariants()
})
