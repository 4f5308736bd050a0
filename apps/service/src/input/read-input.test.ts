import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clientSideRoutes, type FeatureParts } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Fields } from './fields.ts'
import { routeCases } from '../route-cases.ts'
import { databaseDigest } from '../testing/database-digest.ts'
import { addFixtures, address } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { filledCart, order } from '../testing/orders.ts'
import { formBody, startService, type Answer, type RequestOptions, type TestService } from '../testing/service.ts'
import { day, makeWorld, type World } from '../testing/world.ts'

let service: TestService
let operators: Operators
let world: World
const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
const routes = clientSideRoutes({ config } as FeatureParts)

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeWorld(service)
})
after(() => service.close())

const send = (method: string, path: string, options: RequestOptions = {}): Promise<Answer> =>
  service.request(method, path, { key: world.me.key, ...options })

const sendForm = (method: string, path: string, body: string): Promise<Answer> =>
  send(method, path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })

const errorsOf = ({ status, body }: Answer): unknown => [
  status,
  body.errors?.map(({ code, field, details }) => ({ code, field, details })),
]

const misplaced = (field: string, place: string, belongs: string): unknown => [
  400,
  [{ code: 'field_misplaced', field, details: { place, belongs } }],
]

function exampleOf(fields: Fields, name: string): string {
  const [example] = (fields[name]?.schema['examples'] ?? []) as unknown[]
  return encodeURIComponent(String(example))
}

// The columns of a table are checked by table-body.ts.
for (const route of routes.filter(({ table }) => table === undefined)) {
  const { method, params = {}, query = {}, form = {} } = route
  test(`${method} ${route.path} says where a field belongs that was sent elsewhere, and changes nothing`, async () => {
    const made = await routeCases[`${method} ${route.path}`]?.success(world)
    assert(made)
    const [path = ''] = made.path.split('?')
    const sent = formBody(made.form ?? {})
    const stored = await databaseDigest(service)
    for (const name of Object.keys(form)) {
      const answer = await sendForm(method, `${path}?${name}=${exampleOf(form, name)}`, sent)
      assert.deepEqual(errorsOf(answer), misplaced(name, 'query', 'body'))
      const alone = await send(method, `${path}?${name}=${exampleOf(form, name)}`)
      assert.equal(alone.body.errors.filter(({ field }) => field === name).length, 1, 'not reported as missing too')
    }
    for (const name of Object.keys(query)) {
      const answer = await sendForm(method, path, [sent, `${name}=${exampleOf(query, name)}`].join('&'))
      assert.deepEqual(errorsOf(answer), misplaced(name, 'body', 'query'))
    }
    for (const name of Object.keys(params)) {
      const value = path.split('/')[route.path.split('/').indexOf(`{${name}}`)] ?? ''
      const another = String(Number(value) + 1)
      const details = { value: another, rule: `the same as in the path, '${value}'` }
      const expected = [400, [{ code: 'field_invalid', field: name, details }]]
      assert.deepEqual(errorsOf(await sendForm(method, `${path}?${name}=${another}`, sent)), expected)
      assert.deepEqual(errorsOf(await sendForm(method, path, [sent, `${name}=${another}`].join('&'))), expected)
    }
    assert.deepEqual(await databaseDigest(service), stored)
  })
}

test('a parameter of the path may be repeated in the query and in the body, if the values agree', async () => {
  const { order_id } = await order(world)
  const { cart_id, cart_item_id } = await filledCart(world)
  const orderPath = `/api/v1/orders/${order_id}/`
  const linePath = `/api/v1/carts/${cart_id}/items/${cart_item_id}/`
  for (const [method, path, form] of [
    ['GET', `${orderPath}?order_id=${order_id}`, undefined],
    ['GET', `${orderPath}?order_id=0${order_id}`, undefined],
    ['GET', `${orderPath}?order_id=+${order_id}+`, undefined],
    ['PATCH', orderPath, { order_id, shipping_date: day(3) }],
    ['PATCH', `${orderPath}?order_id=${order_id}`, { order_id, shipping_date: day(4) }],
    ['PUT', `/api/v1/carts/${cart_id}/items/`, { cart_id, item_id: 1, stock_id: 1, quantity: 1 }],
    ['PATCH', linePath, { cart_id, cart_item_id, quantity: 2 }],
    ['DELETE', `${linePath}?cart_id=${cart_id}&cart_item_id=${cart_item_id}`, undefined],
  ] as const) {
    const answer = await send(method, path, form === undefined ? {} : { form })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    if (form === undefined) continue
    const asJson = await send(method, path, { json: form })
    assert.equal(asJson.status, 200, `${method} ${path} as JSON: ${asJson.text}`)
  }
  const twice = await send('DELETE', `/api/v1/carts/${cart_id}/?cart_id=${cart_id}&cart_id=${cart_id}`)
  assert.deepEqual(errorsOf(twice), [400, [{ code: 'field_repeated', field: 'cart_id', details: undefined }]])
  for (const bad of ['', '%ff', 'x', '1e3']) {
    const answer = await send('DELETE', `/api/v1/carts/${cart_id}/?cart_id=${bad}`)
    assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'cart_id'], bad)
    const inBody = await sendForm('PATCH', `/api/v1/carts/${cart_id}/`, `name=A&cart_id=${bad}`)
    assert.deepEqual([inBody.status, inBody.body.errors[0]?.field], [400, 'cart_id'], bad)
  }
  assert.equal((await send('GET', `/api/v1/carts/${cart_id}/`)).status, 200)
})

test('query parameters that begin with _ or utm_ are ignored; the same names in a body are not', async () => {
  const all = await send('GET', '/api/v1/orders/')
  const query = '_=1731000000&_=2&__proto__=x&utm_source=mail&_method=DELETE'
  const busted = await send('GET', `/api/v1/orders/?${query}`)
  assert.deepEqual([busted.status, busted.body], [200, all.body])
  assert.equal((await send('PUT', '/api/v1/carts/?_=1', { form: { name: 'A' } })).status, 200)
  const inBody = await send('PUT', '/api/v1/carts/', { form: { name: 'A', _: 1, utm_source: 'x' } })
  assert.deepEqual(
    inBody.body.errors.map(({ code, field }) => `${code} ${field}`),
    ['field_unknown _', 'field_unknown utm_source'],
  )
  for (const name of ['utm', 'utmsource', 'UTM_SOURCE', '-_'])
    assert.equal((await send('GET', `/api/v1/orders/?${name}=1`)).status, 400, name)
})

test('an operation without query parameters ignores the query, except for names that belong in its body', async () => {
  const all = await send('GET', '/api/v1/carts/')
  for (const query of [
    'foo=1',
    'foo=1&foo=2',
    'limit=1&cursor=x',
    'state=new',
    '%ff=1',
    'foo=%ff',
    '&&=&',
    'toString=1',
  ]) {
    const answer = await send('GET', `/api/v1/carts/?${query}`)
    assert.deepEqual([answer.status, answer.body], [200, all.body], query)
  }
  const stored = await databaseDigest(service)
  const misspelt = await send('PUT', '/api/v1/carts/?name=A')
  assert.deepEqual(errorsOf(misspelt), misplaced('name', 'query', 'body'))
  assert.deepEqual(await databaseDigest(service), stored)
})

test('an unknown name is refused with a sentence that lists what its place accepts, and is never wrong', async () => {
  const messageOf = async (answer: Promise<Answer>): Promise<string | undefined> =>
    (await answer).body.errors[0]?.message
  const key = operators.keys.admin
  assert.equal(
    await messageOf(send('PUT', '/api/v1/carts/', { form: { nmae: 'A' } })),
    "Unknown field 'nmae'. This operation accepts: name.",
  )
  assert.equal(
    await messageOf(send('GET', '/api/v1/regions/?contry_code=DE')),
    "Unknown query parameter 'contry_code'. This operation accepts: country_code.",
  )
  assert.equal(
    await messageOf(sendForm('DELETE', '/api/v1/carts/1/', 'force=1')),
    "Unknown field 'force'. This operation has no fields in its body.",
  )
  assert.equal(
    await messageOf(send('GET', '/operator/v1/inbox/', { key, json: { limit: 1 } })),
    "The field 'limit' belongs in the query, not in the body.",
  )
  assert.equal(
    await messageOf(send('POST', '/operator/v1/operator-keys/?role=viewer', { key, json: { operator_name: 'A' } })),
    "The field 'role' belongs in the body, not in the query.",
  )
})

test('at most 20 errors are listed, with the known names once, however many names are wrong', async () => {
  const names = Array.from({ length: 2_000 }, (_, n) => `f${n}`)
  const body = names.join('&')
  const answer = await sendForm('PUT', '/api/v1/orders/', body)
  assert.equal(answer.status, 400)
  assert.equal(answer.body.errors.length, 21)
  assert.deepEqual(answer.body.errors.at(-1), {
    code: 'errors_omitted',
    message: 'Only the first 20 errors are listed.',
    details: { listed: 20 },
  })
  assert.deepEqual(answer.body.errors[1], {
    code: 'field_unknown',
    message: "Unknown field 'f1'.",
    field: 'f1',
  })
  assert.equal(answer.body.errors.filter(({ details }) => details?.['known'] !== undefined).length, 1)
  assert(answer.text.length < 4_000, `${body.length} bytes were answered with ${answer.text.length}`)

  const key = operators.keys.admin
  const json = JSON.stringify(Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`field${n}`, 1])))
  const headers = { 'content-type': 'application/json' }
  const operator = await send('POST', '/operator/v1/operator-keys/', { key, body: json, headers })
  const csv = await send('POST', '/operator/v1/imports/items/', {
    key,
    body: `${names.join(',')},${names.join(',')}\n`,
    headers: { 'content-type': 'text/csv' },
  })
  const malformed = await sendForm('PUT', '/api/v1/carts/', '%zz&'.repeat(4_000))
  const inQuery = await send('GET', `/api/v1/orders/?${names.join('&')}`)
  for (const { status, body: of, text } of [operator, csv, malformed, inQuery]) {
    assert.deepEqual([status, of.errors.length, of.errors.at(-1)?.code], [400, 21, 'errors_omitted'])
    assert(text.length < 5_000, String(text.length))
  }
})

test('codes of countries and regions ignore case: an order stores them in capitals and recognises its repetition', async () => {
  const { shop } = world
  const { cart_id } = await filledCart(world)
  const form = { cart_group_key: await shop.groupKey(cart_id), ...address }
  const small = await shop.ok('PUT', '/api/v1/orders/', { ...form, country_code: 'de', region_code: 'De-bE' })
  assert.deepEqual(
    await shop.ok('PUT', '/api/v1/orders/', { ...form, country_code: 'DE', region_code: 'DE-BE' }),
    small,
  )
  const [stored] = await service.sql('select country_code, region_code from orders where order_id = $1', [
    small.created_order_id,
  ])
  assert.deepEqual({ ...stored }, { country_code: 'DE', region_code: 'DE-BE' })
  assert.deepEqual(
    await shop.ok('GET', '/api/v1/regions/?country_code=hk'),
    await shop.ok('GET', '/api/v1/regions/?country_code=HK'),
  )
})
