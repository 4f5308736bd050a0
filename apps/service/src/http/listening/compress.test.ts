import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import http from 'node:http'
import { codingFor } from './server.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { makeWorld, type World } from '../../testing/world.ts'

let service: TestService
let world: World

before(async () => {
  service = await startService({ settings: { CORS_ORIGINS: 'https://shop.example' } })
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

interface Raw {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
}

function send(path: string, headers: http.OutgoingHttpHeaders, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const options = { port: service.port, path, method, headers: { authorization: world.me.key, ...headers } }
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    request.on('error', reject).end()
  })
}

const decompressors = { br: brotliDecompressSync, gzip: gunzipSync }

test('a large response is compressed as the client accepts it, and is the same text', async () => {
  const plain = await send('/api/v1/regions/', {})
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.headers.vary, 'Origin, Authorization, Accept-Encoding')
  for (const [accepted, coding] of [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
  ] as const) {
    const { status, headers, bytes } = await send('/api/v1/regions/', { 'accept-encoding': accepted })
    assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, coding, plain.headers.vary])
    assert.deepEqual([headers['content-length'], headers.etag], [String(bytes.length), plain.headers.etag])
    assert(decompressors[coding](bytes).equals(plain.bytes))
    assert(bytes.length < plain.bytes.length / 4, `${bytes.length} of ${plain.bytes.length}`)
  }
})

test('a small response is never compressed, whatever the client accepts', async () => {
  for (const path of ['/api/v1/carts/', '/api/v1/stocks/', '/api/v1/nothing/', '/healthz']) {
    const plain = await send(path, {})
    const { headers, bytes } = await send(path, { 'accept-encoding': 'gzip, br', 'x-request-id': 'a' })
    assert.deepEqual([headers['content-encoding'], plain.headers['content-encoding']], [undefined, undefined])
    assert(!String(headers.vary).includes('Accept-Encoding'))
    assert.equal(bytes.toString('utf8')[0], '{')
  }
})

test('HEAD and 304 of a large response have no body and the right headers', async () => {
  const headers = { 'accept-encoding': 'gzip' }
  const { headers: of } = await send('/api/v1/regions/', headers)
  const head = await send('/api/v1/regions/', headers, 'HEAD')
  assert.deepEqual([head.status, head.bytes.length, head.headers.etag], [200, 0, of.etag])
  const same = await send('/api/v1/regions/', { ...headers, 'if-none-match': of.etag ?? '' })
  assert.deepEqual([same.status, same.bytes.length, same.headers['content-encoding']], [304, 0, undefined])
})

test('the coding is the best that the client accepts', () => {
  for (const [accepted, coding] of [
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['gzip, *;q=0', 'gzip'],
    ['x-gzip, notbr', undefined],
    [',,;;=', undefined],
  ] as const)
    assert.equal(codingFor(accepted), coding, accepted)
})
