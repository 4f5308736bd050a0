/** Runs the commands of docs/how-to/integrator/change-quantities.md, in order. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Adjustment } from '../../../service/src/orders/adjustment.ts'
import { order } from '../../../service/src/testing/orders.ts'
import { makeWorld } from '../../../service/src/testing/world.ts'
import { startService, type TestService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('change-quantities.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].map(([, block = '']) => block)

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

test('the commands request a change, show it and withdraw it', async () => {
  const world = await makeWorld(service)
  const { order_id, order_item_id } = await order(world)
  const env = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: world.me.key,
    ORDER: String(order_id),
    LINE: String(order_item_id),
  }
  const dataOf = async <T>(command = 'exit 1', more = {}): Promise<T> => {
    const { stdout } = await run('bash', ['-euc', command], { env: { ...env, ...more } })
    return (JSON.parse(stdout) as { data: T }).data
  }
  assert.equal(commands.length, 3)
  const [request, list, withdraw] = commands
  const requested = await dataOf<Adjustment>(request)
  assert.equal(requested.adjustment_status, 'WAIT')
  const [listed] = await dataOf<Adjustment[]>(list)
  assert.deepEqual([listed?.request?.requested_quantity, listed?.request?.reason], [2, 'One was ordered twice.'])
  const withdrawn = await dataOf<Adjustment>(withdraw, { ADJUSTMENT: String(requested.adjustment_id) })
  assert.equal(withdrawn.adjustment_canceled_message, 'Withdrawn by the client.')
})
