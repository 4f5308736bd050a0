/** `parts order-for` against a real service. */
import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
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

test('order-for takes a saved address by its name or id', async () => {
  const form = { address_name: 'Workshop North', zip: '10115', country_code: 'DE', region_code: 'DE-BE', city: 'Berlin', street: 'Torstrasse', home: '7' } // prettier-ignore
  const { address_id } = await world.shop.ok('PUT', '/api/v1/addresses/', form)
  const lines = ['order-for', String(world.me.client_id), '--stock', '1', '--line', 'bn 280 v=3', '--yes']
  for (const to of ['Workshop North', String(address_id)]) {
    assert.equal((await runParts([...lines, '--to', to], environment())).code, 0)
    const sql = 'select home from orders where client_id = $1 order by order_id desc limit 1'
    assert.deepEqual(await service.sql(sql, [world.me.client_id]), [{ home: '7' }])
  }
  assert.deepEqual(await runParts([...lines, '--to', 'South'], environment()), {
    code: 1,
    stdout: '',
    stderr: "parts: The client has no address 'South'.\nIt has saved: Workshop North.\n",
  })
  const none = await runParts([...lines, '--zip', '10115'], environment())
  assert.deepEqual([none.code, none.stderr.split('\n')[0]], [2, 'parts: `parts order-for` requires --zip, --country, --region, --city, --street and --home, or --to.']) // prettier-ignore
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

test('order-for repeats a request whose response is lost, with the same key: it orders once', async () => {
  const before = (await orders()).length
  await using proxy = await loseAnswers(1)
  const placed = await runParts(words('--yes'), { ...environment(), PARTS_URL: proxy.url })
  const numbers = (await orders()).map((row) => (row as { order_number: number }).order_number)
  assert.deepEqual(placed, {
    code: 0,
    stdout: `${shown}Placed order ${numbers.at(-1)} for client ${world.me.client_id}.\n`,
    stderr: '',
  })
  assert.equal(numbers.length, before + 1)
  assert.equal(proxy.keys.length, 2)
  assert.equal(proxy.keys[0], proxy.keys[1])
  const again = await runParts(words('--yes'), { ...environment(), PARTS_URL: proxy.url })
  assert.equal(again.code, 0)
  assert.equal(proxy.keys.length, 3)
  assert.notEqual(proxy.keys[2], proxy.keys[0]) // Another run is another order.
  assert.equal((await orders()).length, before + 2)
})

test('order-for says that the order may have been placed when every response is lost', async () => {
  const before = (await orders()).length
  await using proxy = await loseAnswers(Infinity)
  const lost = await runParts(words('--yes'), { ...environment(), PARTS_URL: proxy.url })
  assert.deepEqual(lost, {
    code: 3,
    stdout: shown,
    stderr: `parts: Cannot reach the service at ${proxy.url}: the connection was closed.
Check that it is running and that PARTS_URL or --url is correct. The order may have been placed: look at \`parts orders --client ${world.me.client_id}\` before you repeat the command.
`,
  })
  assert.equal((await orders()).length, before + 1)
  assert.deepEqual([proxy.keys.length, new Set(proxy.keys).size], [3, 1])
})

interface LosingProxy extends AsyncDisposable {
  readonly url: string
  /** The Idempotency-Key of each request that orders. */
  readonly keys: readonly string[]
}

/** In front of the service: closes the connection instead of passing on the response of the first `count` orders. */
async function loseAnswers(count: number): Promise<LosingProxy> {
  const keys: string[] = []
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const isOrder = request.method === 'POST' && !body.includes('"dry_run":true')
    if (isOrder) keys.push(String(request.headers['idempotency-key']))
    const { host: _host, ...headers } = request.headers
    const passed = http.request({ port: service.port, method: request.method, path: request.url, headers })
    passed.on('response', async (answer) => {
      const text = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>))
      if (isOrder && keys.length <= count) request.socket.destroy()
      else response.writeHead(answer.statusCode ?? 0, answer.headers).end(text)
    })
    passed.end(body)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
