/** Changes whose answer is lost: each is sent once or with its key, and the operator is advised to look. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import {
  openUnreliableProxy,
  type Fate,
  type UnreliableProxy,
} from '../../../packages/client/testing/unreliable-proxy.ts'
import { addFixtures } from '../../service/src/testing/fixtures.ts'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { order, partlyShippedOrder } from '../../service/src/testing/orders.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { makeWorld, type World } from '../../service/src/testing/world.ts'
import { runParts, type Ran } from './testing.ts'

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

const lookFirst =
  'Check that it is running and that PARTS_URL or --url is correct. It may have been done: look before you send it again.\n'

async function numberOf(order_id: number): Promise<string> {
  const { order_number } = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  return String(order_number)
}

const placed = async (): Promise<string> => numberOf((await order(world)).order_id)

const stateOf = async (number: string): Promise<unknown> =>
  (await operators.ok('GET', `/operator/v1/orders/number-${number}/`))['order_state_id']

interface Losing {
  readonly proxy: UnreliableProxy
  /** The changes that arrived at the proxy. */
  readonly sent: string[]
  readonly parts: (...args: string[]) => Promise<Ran>
}

/** Every change meets the fate; what is read passes. */
async function losing(t: TestContext, fate: Fate): Promise<Losing> {
  const sent: string[] = []
  const proxy = await openUnreliableProxy(service.port, ({ method, url }) => {
    if (method === 'GET') return 'pass'
    sent.push(`${method} ${url}`)
    return fate
  })
  t.after(() => proxy.close())
  const environment = { PARTS_URL: proxy.url, PARTS_KEY: operators.keys.admin }
  return { proxy, sent, parts: (...args) => runParts(args, environment) }
}

test('accept, close-open, undo and move are sent once when the answer is lost, and say that it may have been done', async (t) => {
  const { order_id } = await order(world)
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  const accepted = await numberOf(order_id)
  const closed = await numberOf(await partlyShippedOrder(world))
  const undone = await placed()
  const text = 'Sold out.'
  await operators.ok('POST', `/operator/v1/orders/number-${undone}/move/`, { state_id: 'canceled', text })
  const moved = await placed()
  const [first, second] = [await placed(), await placed()]
  const commands: [args: string[], path: RegExp, number: string, state: string][] = [
    [['accept', 'cancellation', accepted], /cancellation\/accept/, accepted, 'canceled'],
    [['close-open', closed, '--reason', 'Sold out.'], /close-open/, closed, 'shipped'],
    [['undo', undone, '--reason', 'A mistake.'], /undo-cancellation/, undone, 'new'],
    [['move', moved, 'processing'], /\/move\//, moved, 'processing'],
    [['move', `${first},${second}`, 'processing'], /orders\/move\//, second, 'processing'],
  ]
  for (const [args, path, number, state] of commands) {
    const { proxy, sent, parts } = await losing(t, 'cut after')
    assert.deepEqual(await parts(...args), {
      code: 3,
      stdout: '',
      stderr: `parts: Cannot reach the service at ${proxy.url}: the connection was closed.\n${lookFirst}`,
    })
    assert.equal(sent.length, 1, sent.join('\n'))
    assert.match(sent[0] ?? '', path)
    assert.equal(await stateOf(number), state)
  }
  await service.checkInvariants()
})

test('with many orders, the one whose answer is lost is named as one that may have been handled', async (t) => {
  const { parts } = await losing(t, 'cut after')
  const held = await parts('hold', `${await placed()},${await placed()}`, '--reason', 'Address unclear.')
  assert.equal(held.code, 3)
  assert.match(held.stderr, /^0 of 2 orders were handled\. Order \d+ may have been; those after it were not\.\nparts: /)
})

test("a gateway's error is a lost answer too, and a refused connection is not", async (t) => {
  const number = await placed()
  const { proxy, sent, parts } = await losing(t, '502')
  const failed = await parts('move', number, 'processing')
  assert.deepEqual(failed, {
    code: 3,
    stdout: '',
    stderr: `parts: The server at ${proxy.url} is not the Parts Ordering Service (status 502).\nIt may have been done: look before you send it again.\n`,
  })
  assert.equal(sent.length, 1)
  await proxy.close()
  const refused = await parts('stock', 'arrive', '1', '1', '4')
  assert.deepEqual(refused, {
    code: 3,
    stdout: '',
    stderr: `parts: Cannot reach the service at ${proxy.url}: connection refused.\nCheck that it is running and that PARTS_URL or --url is correct.\n`,
  })
})

test('a busy service has changed nothing: the command is repeated, and nobody needs to look', async (t) => {
  const { sent, parts } = await losing(t, '503')
  const busy = await parts('move', await placed(), 'processing')
  assert.deepEqual(busy, { code: 3, stdout: '', stderr: 'parts: The service is overloaded.\n' })
  assert.equal(sent.length, 3)
})

const onHand = async (): Promise<number> =>
  Number((await service.sql('select on_hand from stock_levels where stock_id = 1 and item_id = 2'))[0]?.['on_hand'])

test('stock arrive prints the key with which a lost command can be repeated, and adds the pieces once', async (t) => {
  const before_ = await onHand()
  const { sent, parts } = await losing(t, 'cut after')
  const arrive = ['stock', 'arrive', '1', '2', '40']
  const lost = await parts(...arrive)
  assert.deepEqual([lost.code, sent.length, new Set(sent).size], [3, 3, 1])
  const [, key = ''] =
    /The pieces may have been added: look at `parts stock levels --stock 1 --item 2`, or repeat the command with --import-key ([\da-f-]{36}), which adds them once\.\n$/.exec(
      lost.stderr,
    ) ?? []
  const direct = { PARTS_URL: `http://127.0.0.1:${service.port}`, PARTS_KEY: operators.keys.admin }
  const again = await runParts([...arrive, '--import-key', key], direct)
  assert.equal(again.code, 0, again.stderr)
  assert.equal(await onHand(), before_ + 40)
})

/** Answers every request in this way. */
async function stub(t: TestContext, status: number, body = ''): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end(body))
  })
  server.keepAliveTimeout = 0 // Never ends a connection.
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('when the database is lost, a change may have been made, and reading can be tried again', async (t) => {
  const errors = [{ code: 'database_unavailable', message: 'The database is not available.' }]
  const PARTS_URL = await stub(t, 503, JSON.stringify({ status: 'fail', errors, request_id: 'r' }))
  const environment = { PARTS_URL, PARTS_KEY: 'pso_1_a_key' }
  const sentence = 'parts: The database is not available.\n'
  assert.deepEqual(await runParts(['block', '2', '--reason', 'Unpaid.'], environment), {
    code: 3,
    stdout: '',
    stderr: `${sentence}It may have been done: look before you send it again.\n`,
  })
  assert.deepEqual(await runParts(['inbox'], environment), {
    code: 3,
    stdout: '',
    stderr: `${sentence}Try again in a few seconds.\n`,
  })
})

test('an answer without a body does not keep the program running', { timeout: 20_000 }, async (t) => {
  const PARTS_URL = await stub(t, 204)
  const ended = await runParts(['inbox'], { PARTS_URL, PARTS_KEY: 'pso_1_a_key' })
  assert.equal(ended.code, 3)
  assert.match(ended.stderr, /is not the Parts Ordering Service \(status 204\)/)
})

test('a file is imported whatever its name is, and a name that cannot be shown is left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-names-'))
  const environment = { PARTS_URL: `http://127.0.0.1:${service.port}`, PARTS_KEY: operators.keys.admin }
  try {
    const names: [string, string | null][] = [
      ['Preise für alle.csv', 'Preise für alle.csv'],
      [`${'x'.repeat(240)}.csv`, null],
      ['prices\u0007.csv', null],
      ['prices\u202E.csv', null],
    ]
    for (const [name, stored] of names) {
      const file = join(folder, name)
      writeFileSync(file, 'price_list_id,item_id,price\n1,1,10\n')
      const ran = await runParts(['import', file, '--kind', 'prices', '--json'], environment)
      assert.equal(ran.code, 0, ran.stderr)
      assert.equal(JSON.parse(ran.stdout).file_name, stored)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
