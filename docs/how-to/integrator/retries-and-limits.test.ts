/** Runs the commands of docs/how-to/integrator/retries-and-limits.md and checks what the page says about them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeWorld, type World } from '../../../service/src/testing/world.ts'
import { startService, type TestService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('retries-and-limits.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))

let service: TestService
let world: World

before(async () => {
  service = await startService({ settings: { RATE_LIMIT: 'on' } })
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

test('both commands of the page get the same response, and the cart holds four pieces', async () => {
  assert.equal(commands.length, 2)
  const cart_id = await world.shop.createCart()
  const env = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: world.me.key,
    CART: String(cart_id),
    ITEM: '1',
    STOCK: '1',
  }
  const responses = []
  for (const command of commands) responses.push((await run('bash', ['-euc', command], { env })).stdout)
  assert.equal(responses[0], responses[1])
  const [group] = await world.shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  assert.deepEqual(
    group.cart_items.map(({ quantity }: { quantity: number }) => quantity),
    [4],
  )
})

test('the rate limit headers are the ones shown on the page', async () => {
  const { me } = await makeWorld(service)
  const { headers } = await service.request('GET', '/api/v1/carts/', { key: me.key })
  for (const [name, title] of [
    ['ratelimit-policy', 'RateLimit-Policy'],
    ['ratelimit', 'RateLimit'],
  ] as const)
    assert(page.includes(`${title}: ${String(headers[name])} `), `${title}: ${String(headers[name])}`)
})
