import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { makeOperators } from '../../testing/operators.ts'
import { makeWorld, type World } from '../../testing/world.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

const forms = [
  'application/x-www-form-urlencoded',
  'APPLICATION/X-WWW-Form-Urlencoded',
  ' application/x-www-form-urlencoded',
  '\tapplication/x-www-form-urlencoded ',
  'application/x-www-form-urlencoded;charset=utf-8',
  'application/x-www-form-urlencoded ; charset="UTF-8"',
  'application/x-www-form-urlencoded; charset=utf8; boundary=x',
]
const jsons = ['application/json', 'Application/JSON ', ' application/json', '\tapplication/json; charset=utf-8']
const others = [
  'application/json; charset=latin1',
  'application/jsonx',
  'text/json',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded; charset=latin1',
  'application/x-www-form-urlencoded, application/json',
  'application/x-www-form-urlencoded/x',
  'application/x-www-form-urlencodedx',
  'x',
  '',
]

test('a form is a form however its Content-Type is cased and spaced, and is validated in each case', async () => {
  for (const type of forms) {
    const headers = { 'content-type': type }
    const good = await service.request('PUT', '/api/v1/carts/', { key: world.me.key, body: 'name=A', headers })
    assert.equal(good.status, 200, `'${type}': ${good.text}`)
    for (const body of ['name=A&extra=1', 'name=', '', '{"name":"A"}', 'name=A&name=B']) {
      const bad = await service.request('PUT', '/api/v1/carts/', { key: world.me.key, body, headers })
      assert.equal(bad.status, 400, `'${type}' ${body}: ${bad.text}`)
    }
    await service.sql('delete from carts; update clients set cart_count = 0')
  }
})

test('a JSON object has the same fields, and the same rules', async () => {
  for (const type of jsons) {
    const headers = { 'content-type': type }
    const good = await service.request('PUT', '/api/v1/carts/', { key: world.me.key, body: '{"name":" A "}', headers })
    assert.deepEqual([good.status, good.body.data.cart_name], [200, 'A'], `'${type}': ${good.text}`)
    for (const [body, code] of [
      ['{"name":"A","extra":1}', 'field_unknown'],
      ['{"name":"A","name":"B"}', 'field_repeated'],
      ['{"name":""}', 'field_missing'],
      ['{"name":null}', 'field_missing'],
      ['{}', 'field_missing'],
      ['', 'field_missing'],
      ['{"name":5}', 'field_invalid'],
      ['{"name":["A"]}', 'field_invalid'],
      ['{"name":"A\\u0000"}', 'field_invalid'],
      ['["A"]', 'malformed_request'],
      ['name=A', 'malformed_request'],
      ['{', 'malformed_request'],
      [`{"name":"${'x'.repeat(16 * 1024)}"}`, 'body_too_large'],
    ] as const) {
      const bad = await service.request('PUT', '/api/v1/carts/', { key: world.me.key, body, headers })
      assert.deepEqual(
        [bad.status, bad.body.errors[0]?.code],
        [code === 'body_too_large' ? 413 : 400, code],
        `'${type}' ${body}: ${bad.text}`,
      )
    }
    await service.sql('delete from carts; update clients set cart_count = 0')
  }
})

test('in JSON a number counts by its value; what is no JSON is the only error', async () => {
  const { cart_id } = await world.shop.ok('PUT', '/api/v1/carts/', { name: 'Numbers' })
  const put = (body: string): Promise<Answer> =>
    service.request('PUT', `/api/v1/carts/${cart_id}/items/`, {
      key: world.me.key,
      body,
      headers: { 'content-type': 'application/json' },
    })
  const line = (quantity: string): string => `{"item_id":1,"stock_id":1,"quantity":${quantity}}`
  for (const good of ['3', '"3"', '3.0', '0.3e1', '" 3 "']) assert.equal((await put(line(good))).status, 200, good)
  for (const [bad, value] of [
    ['3.5', '3.5'],
    ['"3.0"', '3.0'],
    ['"1e3"', '1e3'],
    ['1e400', 'Infinity'],
    ['true', 'true'],
    ['[3]', '[3]'],
    ['{"a":1}', '{"a":1}'],
  ] as const) {
    const { status, body } = await put(line(bad))
    const rule = 'a whole number from 1 to 1000000 in plain decimal digits'
    assert.deepEqual([status, body.errors.map(({ details }) => details)], [400, [{ value, rule }]], bad)
  }
  for (const [body, reason] of [
    ['{"item_id":1,}', 'the body is not valid JSON'],
    ['[1]', 'the body is not a JSON object'],
  ] as const) {
    const answer = await put(body)
    assert.deepEqual(
      [answer.status, answer.body.errors.map(({ code, details }) => [code, details])],
      [400, [['malformed_request', { reason }]]],
    )
  }
  await service.sql(
    'delete from cart_items; delete from cart_groups; delete from carts; update clients set cart_count = 0',
  )
})

test('a body of any other Content-Type is 415, whatever it holds, and nothing changes', async () => {
  for (const type of others) {
    for (const body of ['name=A', '{"name":"A"}', '{', '"x"']) {
      const answer = await service.request('PUT', '/api/v1/carts/', {
        key: world.me.key,
        body,
        headers: { 'content-type': type },
      })
      assert.equal(answer.status, 415, `'${type}': ${answer.text}`)
      assert.equal(answer.body.errors[0]?.code, 'unsupported_media_type')
    }
  }
  const none = await service.request('PUT', '/api/v1/carts/', { key: world.me.key, body: 'name=A' })
  assert.equal(none.status, 415)
  assert.deepEqual(await service.sql('select * from carts'), [])
})

test('a compressed body is 415 with the advice to send it uncompressed, and nothing changes', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const put = (coding: string, body: string | Buffer): Promise<Answer> =>
    service.request('PUT', '/api/v1/carts/', {
      key: world.me.key,
      body,
      headers: { ...form, 'content-encoding': coding },
    })
  for (const [coding, body] of [
    ['gzip', gzipSync('name=A')],
    ['GZIP', gzipSync('name=A')],
    ['br', brotliCompressSync('name=A')],
    ['gzip, identity', gzipSync('name=A')],
    ['x', 'name=A'],
  ] as const) {
    const answer = await put(coding, body)
    assert.deepEqual(
      [answer.status, answer.body.errors],
      [
        415,
        [
          {
            code: 'unsupported_content_encoding',
            message: `The body has the Content-Encoding '${coding}'. Send it uncompressed, without that header.`,
            details: { content_encoding: coding },
          },
        ],
      ],
    )
  }
  assert.deepEqual(await service.sql('select * from carts'), [])
  const { keys } = await makeOperators(service)
  for (const [path, type] of [
    ['/operator/v1/operator-keys/', 'application/json'],
    ['/operator/v1/imports/items/', 'text/csv'],
  ] as const) {
    const answer = await service.request('POST', path, {
      key: keys.admin,
      body: gzipSync('{}'),
      headers: { 'content-type': type, 'content-encoding': 'gzip' },
    })
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [415, 'unsupported_content_encoding'])
  }
  for (const coding of ['', 'identity', ' Identity ']) assert.equal((await put(coding, 'name=A')).status, 200)
  const none = await service.request('GET', '/api/v1/carts/', {
    key: world.me.key,
    headers: { 'content-encoding': 'gzip' },
  })
  assert.equal(none.status, 200)
  await service.sql('delete from carts; update clients set cart_count = 0')
})

test('a DELETE without a body may announce any Content-Type; with one, it must be a form or JSON without fields', async () => {
  const [cart] = await service.sql(`insert into carts (client_id, cart_name) values ($1, 'X') returning cart_id`, [
    world.me.client_id,
  ])
  const path = `/api/v1/carts/${String(cart?.['cart_id'])}/`
  for (const [body, type, status] of [
    ['{}', 'text/plain', 415],
    ['{"a":1}', 'application/json', 400],
    ['a=1', 'application/x-www-form-urlencoded', 400],
    ['', 'application/json', 200],
  ] as const) {
    const answer = await service.request('DELETE', path, { key: world.me.key, body, headers: { 'content-type': type } })
    assert.equal(answer.status, status, `${type} ${body}: ${answer.text}`)
    await service.sql('update clients set cart_count = 1')
  }
  await service.sql('update clients set cart_count = 0')
})

test('a body over 16 KiB is 413; one that is not UTF-8 is 400; an absent one lacks its fields', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const large = await service.request('PUT', '/api/v1/carts/', {
    key: world.me.key,
    body: `name=${'x'.repeat(16 * 1024)}`,
    headers,
  })
  assert.deepEqual([large.status, large.body.errors[0]?.code], [413, 'body_too_large'])
  const notUtf8 = await service.request('PUT', '/api/v1/carts/', {
    key: world.me.key,
    body: Buffer.from('name=\xff', 'latin1'),
    headers,
  })
  assert.deepEqual([notUtf8.status, notUtf8.body.errors[0]?.code], [400, 'malformed_request'])
  const absent = await service.request('PUT', '/api/v1/carts/', { key: world.me.key })
  assert.deepEqual([absent.status, absent.body.errors[0]?.code], [400, 'field_missing'])
})
