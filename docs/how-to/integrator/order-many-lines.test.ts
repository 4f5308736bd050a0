/** Runs the commands of docs/how-to/integrator/order-many-lines.md and checks what the page says about them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeWorld, type World } from '../../../service/src/testing/world.ts'
import { startService, type Body, type TestService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('order-many-lines.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))

let service: TestService
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  // Two items of the demo.
  await service.sql(`
    update items set item_vendor_code = 'AV-10001' where item_id = 1;
    update items set item_vendor_code = 'AV-10002', item_barcode = '2000000158389' where item_id = 2;
    insert into item_words values ('2000000158389', 2)`)
  world = await makeWorld(service)
})
after(() => service.close())

test('the commands of the page look up, add and repeat what the page says', async () => {
  const { shop, me } = world
  const cart_id = await shop.createCart()
  const ordered = await shop.createCart()
  await shop.add(ordered, { item_id: 1, quantity: 2 })
  const env = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: me.key,
    CART: String(cart_id),
    STOCK: '1',
    ORDER: String(await shop.order(ordered)),
  }
  const answers: Body['data'][] = []
  for (const command of commands) {
    const { stdout } = await run('bash', ['-euc', command], { env })
    const { status, data } = JSON.parse(stdout) as Body
    assert.equal(status, 'ok', `${command}\n${stdout}`)
    answers.push(data)
  }
  const [dryRun, added, cart, looked, searched, again] = answers
  assert.deepEqual([dryRun.rows_added, dryRun.rows_refused, dryRun.ignored_columns], [0, 1, ['Bezeichnung']])
  assert.deepEqual(
    dryRun.rows.map(({ row, outcome, item }: { row: number; outcome: string; item?: { item_id: number } }) => [
      row,
      outcome,
      item?.item_id,
    ]),
    [
      [2, 'possible', 1],
      [3, 'possible', 2],
      [4, 'refused', undefined],
    ],
  )
  assert.equal(dryRun.rows[2].errors[0].message, "No item has the article 'AV-1000'.")
  assert.deepEqual(
    [
      added.rows_added,
      added.rows[2].merged_into,
      cart[0].cart_items.map(({ quantity }: { quantity: number }) => quantity),
    ],
    [3, 1, [3, 4]],
  )
  const idsOf = (items: { item_id: number }[]): number[] => items.map(({ item_id }) => item_id)
  assert.deepEqual(
    [idsOf(looked), idsOf(searched)],
    [
      [1, 2],
      [1, 2],
    ],
  )
  assert.deepEqual([again.rows_added, again.rows[0].changes, again.rows[0].cart_quantity], [1, [], 5])
  await service.checkInvariants()
})
