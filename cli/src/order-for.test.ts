/** `parts order-for` against a real service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../../service/src/testing/fixtures.ts'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { makeWorld, type World } from '../../service/src/testing/world.ts'
import { runOnTerminal, runParts } from './testing.ts'

let service: TestService
let operators: Operators
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeWorld(service)
})
after(() => service.close())

const environment = () => ({
  PARTS_URL: `http://127.0.0.1:${service.port}`,
  PARTS_KEY: operators.keys.decider,
  NO_COLOR: '1',
})
const address =
  '--zip 10115 --country DE --region DE-BE --city Berlin --street Torstrasse --home 1 --reference PO-1'.split(' ')
const words = (...more: string[]): string[] => [
  'order-for',
  String(world.me.client_id),
  '--stock',
  '1',
  '--line',
  'bn 280 v=3',
  '--item',
  '2=4',
  ...address,
  ...more,
]
const orders = (): Promise<unknown[]> =>
  service.sql('select order_number::integer from orders where client_id = $1 order by order_id', [world.me.client_id])

const shown = `ARTICLE\tTITLE\tQUANTITY\tPRICE\tAMOUNT
BN-280-V\tBrake disc front 280 mm vented\t3\t10.00\t30.00
FW-2\tOil filter F2\t4\t2.50\t10.00
goods\t40.00
discount\t0.00
tax\t6.67
total\t40.00 EUR
`

test('order-for shows the totals, and orders nothing without a confirmation', async () => {
  assert.deepEqual(await runParts(words(), environment()), {
    code: 1,
    stdout: shown,
    stderr: `parts: Nothing was ordered: the order must be confirmed.
Check the figures, then repeat the command with --yes.
`,
  })
  const declined = await runOnTerminal(100, words(), environment(), 'n\n')
  assert.equal(declined.code, 1)
  assert.match(declined.stdout, /total +40\.00 EUR[^]*Order for client \d+\? \[y\/N\]/)
  assert.deepEqual(await orders(), [])
})

test('order-for orders with --yes, or when the operator agrees, and prints the number of the order', async () => {
  const placed = await runParts(words('--yes'), environment())
  const agreed = await runOnTerminal(100, words(), environment(), 'y\n')
  const json = await runParts(words('--yes', '--json'), environment())
  const numbers = (await orders()).map((row) => (row as { order_number: number }).order_number)
  const line = (number: number | undefined): string => `Placed order ${number} for client ${world.me.client_id}.\n`
  assert.deepEqual(placed, { code: 0, stdout: `${shown}${line(numbers[0])}`, stderr: '' })
  assert.equal(agreed.code, 0)
  assert(agreed.stdout.endsWith(line(numbers[1])), agreed.stdout)
  const data = JSON.parse(json.stdout) as { order_number: number; order_total: number }
  assert.deepEqual([data.order_number, data.order_total], [numbers[2], 40])
})

test('order-for explains what is wrong', async () => {
  const refused = await runParts(words('--line', 'NONE=1', '--yes'), environment())
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /No item has the article 'NONE'/)
  for (const [more, message] of [
    [['--line', 'NONE'], /--line must be ARTICLE=QUANTITY, not 'NONE'/],
    [['--item', 'x=1'], /The id of --item must be a positive integer, not 'x'/],
  ] as const) {
    const wrong = await runParts(words(...more), environment())
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, message)
  }
})
