/** What lines would cost a client: each judged on its own, and by the same rules as an order of them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { address, addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addPackedItem } from '../../testing/stock.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())
beforeEach(async () => {
  world = await makeOperatorWorld(service, operators)
})

type Line = Record<string, unknown>
const quote = (lines: readonly Line[], more: object = {}) =>
  operators.ok('POST', `/operator/v1/clients/${world.me.client_id}/quote/`, { stock_id: 1, lines, ...more })
const judgedOf = async (line: Line) => {
  const { lines } = await quote([line])
  const { error, near } = lines[0]
  return [error?.code, error?.details, near.map((item: { item_id: number }) => item.item_id)]
}

test('each wrong line has the error that the order would have, and changes no total', async () => {
  const packed = await addPackedItem(service)
  const noPrice = await addPackedItem(service)
  await service.sql('delete from prices where item_id = $1', [noPrice])
  const wrong = [
    { article: 'nothing-like-it', quantity: 1 },
    { item_id: packed, quantity: 21 },
    { item_id: noPrice, quantity: 20 },
    { item_id: 1, quantity: 500_000 },
  ]
  const stored = await databaseDigest(service)
  const { lines, order_total } = await quote(wrong)
  assert.deepEqual([lines.length, order_total], [4, 0])
  for (const [index, line] of wrong.entries()) {
    const refused = await service.request('POST', `/operator/v1/clients/${world.me.client_id}/orders/`, {
      key: operators.keys.decider,
      json: { stock_id: 1, lines: [line], ...address, dry_run: true },
    })
    const [error] = refused.body.errors
    assert.deepEqual([lines[index].error.code, lines[index].error.details], [error?.code, error?.details])
  }
  assert.deepEqual(await databaseDigest(service), stored)
})

test('the price is that of the quantity, and the totals are those of the order', async () => {
  const packed = await addPackedItem(service)
  const lines = [
    { item_id: packed, quantity: 60 },
    { article: 'BN-280-V', quantity: 2 },
    { item_id: packed, quantity: 40 },
  ]
  const quoted = await quote(lines)
  const first = quoted.lines[0]
  assert.deepEqual([first.places, first.quantity, first.price, first.amount], [[1, 3], 100, 8, 800])
  const order = await operators.ok('POST', `/operator/v1/clients/${world.me.client_id}/orders/`, {
    stock_id: 1,
    lines,
    ...address,
    expected_total: quoted.order_total,
  })
  for (const name of ['goods', 'order_discount', 'order_tax', 'order_total', 'currency_code', 'contract_id'])
    assert.deepEqual(order[name], quoted[name], name)
})

test('a limit that the lines would exceed is shown below zero', async () => {
  const { contract_limit, limit_left_after } = await quote([{ item_id: 1, quantity: 200 }], {
    contract_id: world.me.limited_contract_id,
  })
  assert.deepEqual([contract_limit, limit_left_after], [1_000, 1_000 - 2_090])
})

test('a wrong line has what it may mean: its neighbours, the items of all brands, the substitutes', async () => {
  assert.deepEqual(await judgedOf({ article: 'bn 28O v', quantity: 1 }), [
    'article_not_found',
    { article: 'bn 28O v' },
    [1],
  ])
  assert.deepEqual(await judgedOf({ article: 'BN-280-V', brand: 'Nobody', quantity: 1 }), [
    'article_not_found',
    { article: 'BN-280-V', brand: 'Nobody' },
    [1],
  ])
  assert.deepEqual((await judgedOf({ article: '--', quantity: 1 }))[2], [])
  const [one, other] = [await addPackedItem(service), await addPackedItem(service)]
  await service.sql(
    `update items set item_vendor_code = 'SAME-7', brand_id = case item_id when $1 then 1 else 2 end
    where item_id in ($1, $2)`,
    [one, other],
  )
  assert.deepEqual(await judgedOf({ article: 'same7', quantity: 20 }), [
    'article_ambiguous',
    { article: 'same7' },
    [one, other],
  ])
  await service.sql('update items set on_sale = false where item_id = $1', [one])
  await operators.ok('PUT', `/operator/v1/items/${one}/substitutes/`, { replaced_by: 1, substitutes: [other] })
  assert.deepEqual(await judgedOf({ item_id: one, quantity: 20 }), ['item_not_on_sale', { item_id: one }, [1, other]])
})

test('each stock that serves the client shows what is free and when it ships the quantity', async () => {
  const { lines } = await quote([{ item_id: 1, quantity: 3 }])
  const shown = await world.shop.ok('GET', '/api/v1/items/1/?include=promise&quantity=3')
  assert.deepEqual(
    lines[0].availability,
    shown.availability.map(({ stock_id, stock_name, available, back_order, promise }: Line & { promise: Line }) => ({
      stock_id,
      stock_name,
      available,
      back_order,
      earliest_shipping_date: promise['earliest_shipping_date'],
    })),
  )
})
