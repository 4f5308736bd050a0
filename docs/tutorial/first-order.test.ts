/** Runs the commands of docs/tutorial/first-order.md, taking each id from the response in which the reader finds it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { runParts } from '../../cli/src/testing.ts'
import { addClient, addFixtures, type TestClient } from '../../service/src/testing/fixtures.ts'
import { startService, type Body, type TestService } from '../../service/src/testing/service.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('first-order.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))

let service: TestService
let client: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  client = await addClient(service)
})
after(() => service.close())

test('the commands of the tutorial place one order and cancel it', async () => {
  assert.equal(commands.length, 10)
  const issueKey = ['operator-key', 'issue', '--first', '--name', 'Anna Berg', '--role', 'admin']
  const issued = await runParts(issueKey, { DATABASE_URL: service.databaseUrl })
  assert.equal(issued.code, 0, issued.stderr)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: client.key,
    OPERATOR_KEY: issued.stdout.trim(),
  }
  const next = async (): Promise<Body['data']> => {
    const command = commands.shift() ?? ''
    const { stdout } = await run('bash', ['-euc', command], { env })
    const { status, data } = JSON.parse(stdout) as Body
    assert.equal(status, 'ok', `${command}\n${stdout}`)
    return data
  }
  const [item] = await next()
  env['ITEM'] = String(item.item_id)
  env['STOCK'] = String(item.availability[0].stock_id)
  env['CART'] = String((await next()).cart_id)
  assert.equal((await next()).quantity, 2)
  const [group] = await next()
  env['GROUP'] = group.cart_group_key
  const placed = await next()
  assert.deepEqual(await next(), placed)
  env['ORDER'] = String(placed.created_order_id)
  const { order_state_id, order_history } = await next()
  assert.deepEqual([order_state_id, order_history.length], ['new', 1])
  assert.equal((await next()).order_state_id, 'zayavka-na-otmen')
  assert.equal((await next()).order_state_id, 'canceled')
  const events: { event_type: string }[] = await next()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['key.issued', 'order.created', 'order.state_changed', 'order.state_changed'],
  )
  await service.checkInvariants()
})
