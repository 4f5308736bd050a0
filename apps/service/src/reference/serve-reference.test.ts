import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.close())

const files = ['/openapi.json', '/operator/openapi.json', '/docs/installation.json']
const get = (path: string, headers: Record<string, string> = {}) =>
  service.app.inject({ method: 'GET', url: path, headers })

test('the documents that are served are those that are checked in', async () => {
  for (const [path, file] of [
    ['/openapi.json', 'openapi.json'],
    ['/operator/openapi.json', 'operator-openapi.json'],
  ] as const) {
    const stored = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')
    assert.deepEqual((await get(path)).json(), JSON.parse(stored))
  }
})

test('documents need no key, and may be kept as long as their ETag is confirmed', async () => {
  for (const path of files) {
    const first = await get(path)
    assert.equal(first.statusCode, 200, path)
    assert.equal(first.headers['cache-control'], 'no-cache', path)
    const { etag } = first.headers
    assert.match(String(etag), /^"[\w-]{22}"$/, path)
    for (const known of [String(etag), `"other", W/${String(etag)}`, '*']) {
      const again = await get(path, { 'if-none-match': known })
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], path)
    }
    assert.equal((await get(path, { 'if-none-match': '"other"' })).statusCode, 200, path)
  }
})

test('documents are compressed for those who accept it', async () => {
  for (const path of files) {
    const plain = await get(path)
    const packed = await get(path, { 'accept-encoding': 'br, gzip;q=0.8' })
    assert.deepEqual([plain.headers['content-encoding'], packed.headers['content-encoding']], [undefined, 'gzip'], path)
    assert.equal(gunzipSync(packed.rawPayload).equals(plain.rawPayload), true, path)
    assert.notEqual(packed.headers.etag, plain.headers.etag, path)
    assert.equal(packed.headers.vary, 'accept-encoding', path)
    assert.equal((await get(path, { 'accept-encoding': 'gzip;q=0, br' })).headers['content-encoding'], undefined, path)
  }
})

test('the limits of the installation are shown without a key, as a key sees them', async () => {
  const { service_version, time_zone, limits } = (await get('/docs/installation.json')).json()
  assert.deepEqual([service_version, time_zone], ['0.1.0', 'UTC'])
  assert.deepEqual(limits.cart_lines, { value: 1000, about: 'Lines of a cart.' })
})

test("the operators' old address leads to their reference", async () => {
  const { statusCode, headers } = await get('/operator/docs/')
  assert.deepEqual([statusCode, headers.location], [302, '/docs/operator-api'])
})

test('with DOCS=off nothing of the reference is served, and the API is', async (t) => {
  const bare = await startService({ settings: { DOCS: 'off' } })
  t.after(() => bare.close())
  for (const path of ['/', ...files, '/docs/', '/docs/tutorial/first-order', '/llms.txt'])
    assert.equal((await bare.request('GET', path)).status, 404)
  assert.equal((await bare.request('GET', '/healthz')).status, 200)
  assert.equal((await bare.request('GET', '/api/v1/carts/')).status, 401)
})
