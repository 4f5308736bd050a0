import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { makeWorld, type World } from '../../testing/world.ts'

let service: TestService
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

const get = (path: string, headers: Record<string, string> = {}, key = world.me.key): Promise<Answer> =>
  service.request('GET', path, { key, headers })

const lookups = {
  '/api/v1/countries/': 3_600,
  '/api/v1/regions/?country_code=de': 3_600,
  '/api/v1/order-states/': 3_600,
  '/api/v1/stocks/': 60,
  '/api/v1/contracts/': 0,
}

test('lookups may be kept for a while by the client alone, and are not sent again while they are the same', async () => {
  for (const [path, seconds] of Object.entries(lookups)) {
    const first = await get(path)
    const { etag = '' } = first.headers
    assert.match(etag, /^W\/"[\w-]{22}"$/)
    assert.equal(first.headers['cache-control'], `private, max-age=${seconds}`)
    assert.match(first.headers.vary ?? '', /\bAuthorization\b/)
    for (const condition of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': condition })
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag], condition)
      assert.equal(again.headers['cache-control'], `private, max-age=${seconds}`)
      assert.deepEqual([again.headers['content-type'], again.headers['content-length']], [undefined, undefined])
      assert.equal(typeof again.headers['x-request-id'], 'string')
    }
    for (const condition of ['"x"', 'x', '', 'W/""']) {
      const again = await get(path, { 'if-none-match': condition })
      assert.deepEqual([again.status, again.text], [200, first.text], condition)
    }
    const head = await service.request('HEAD', path, { key: world.me.key })
    assert.deepEqual([head.status, head.headers.etag, head.text], [200, etag, ''])
    const sameHead = await service.request('HEAD', path, { key: world.me.key, headers: { 'if-none-match': etag } })
    assert.deepEqual([sameHead.status, sameHead.headers.etag, sameHead.text], [304, etag, ''])
    assert.equal(sameHead.headers['cache-control'], `private, max-age=${seconds}`)
  }
})

test('a changed lookup has another tag, and each client has its own', async () => {
  const { headers } = await get('/api/v1/contracts/')
  const other = await makeWorld(service)
  const foreign = await get('/api/v1/contracts/', { 'if-none-match': headers.etag ?? '' }, other.me.key)
  assert.equal(foreign.status, 200)
  const operators = await makeOperators(service)
  await operators.ok('PATCH', `/operator/v1/clients/${world.me.client_id}/contracts/${world.me.contract_id}/`, {
    contract_name: 'Renamed',
  })
  const changed = await get('/api/v1/contracts/', { 'if-none-match': headers.etag ?? '' })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, headers.etag)
})

test('errors of lookups and all other responses are not stored', async () => {
  for (const [path, key] of [
    ['/api/v1/regions/?x=1', world.me.key],
    ['/api/v1/countries/', 'nonsense'],
    ['/api/v1/carts/', world.me.key],
    ['/api/v1/items/', world.me.key],
    ['/healthz', world.me.key],
  ] as const) {
    const { headers } = await get(path, { 'if-none-match': '*' }, key)
    assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined], path)
  }
})
