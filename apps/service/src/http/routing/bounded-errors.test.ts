/** However much is wrong with a request, the answer is short: it lists 20 errors, and known names once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { problemsMax } from '../../input/read-input.ts'
import { databaseDigest } from '../../testing/database-digest.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let me: TestClient
let cart_id: number

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  cart_id = await shopper(service, me).createCart()
})
after(() => service.close())

const answerBytesMax = 64 * 1024

/** `a0`, `a1` and so on, as many as fit into this many bytes when each is written like this. */
function names(bytes: number, write: (name: string) => string): string[] {
  const written: string[] = []
  for (let n = 0, length = 0; length < bytes; n++) {
    const one = write(`a${n}`)
    written.push(one)
    length += one.length + 1
  }
  return written
}

async function refuses(send: () => Promise<Answer>, status = 400): Promise<Answer> {
  const before = await databaseDigest(service)
  const answer = await send()
  assert.equal(answer.status, status, answer.text.slice(0, 500))
  assert(answer.text.length < answerBytesMax, `${answer.text.length} bytes`)
  assert.deepEqual(await databaseDigest(service), before)
  return answer
}

test('a form of unknown fields', async () => {
  const body = names(11_000, (name) => `${name}=1`).join('&')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { body: answer } = await refuses(() =>
    service.request('PUT', '/api/v1/orders/', { key: me.key, body, headers }),
  )
  assert.equal(answer.errors.length, problemsMax + 1)
  assert.equal(answer.errors.at(-1)?.code, 'errors_omitted')
  assert.equal(answer.errors.filter(({ details }) => details?.['known'] !== undefined).length, 1)
})

test('a query of unknown parameters', async () => {
  const query = names(12_000, (name) => `${name}=1`).join('&')
  await refuses(() => service.request('GET', `/api/v1/orders/?${query}`, { key: me.key }))
})

test('a JSON body of unknown members, and one of long values', async () => {
  const send = (members: string[]): Promise<Answer> =>
    service.request('POST', '/operator/v1/clients/', {
      key: operators.keys.admin,
      body: `{${members.join(',')}}`,
      headers: { 'content-type': 'application/json' },
    })
  const { body } = await refuses(() => send(names(220_000, (name) => `"${name}":1`)))
  assert.equal(body.errors.length, problemsMax + 1)
  await refuses(() => send(names(220_000, (name) => `"${name}${'x'.repeat(10_000)}":1`)))
})

test('a wide first line of CSV, for an import and for a cart', async () => {
  const body = `${names(60_000, (name) => name).join(',')}\n1\n`
  const headers = { 'content-type': 'text/csv' }
  await refuses(() =>
    service.request('POST', '/operator/v1/imports/items/', { key: operators.keys.admin, body, headers }),
  )
  const repeated = `article,quantity,${Array.from({ length: 20_000 }, () => 'article').join(',')}\n1\n`
  const path = `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`
  await refuses(() => service.request('PUT', path, { key: me.key, body: repeated, headers }))
})

test('rows of NDJSON with many unknown members', async () => {
  const row = `{${names(10_000, (name) => `"${name}":1`).join(',')}}`
  const body = Array.from({ length: 20 }, () => row).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const send = (): Promise<Answer> =>
    service.request('POST', '/operator/v1/imports/items/', { key: operators.keys.admin, body, headers })
  const answer = await send()
  assert(answer.status >= 400 && answer.text.length < answerBytesMax, `${answer.status}: ${answer.text.length} bytes`)
})

test('a thousand rows of a bulk addition, each with many unknown members', async () => {
  const row = `{${names(230, (name) => `"${name}":1`).join(',')}}`
  const body = `[${Array.from({ length: 1_000 }, () => row).join(',')}]`
  const path = `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`
  const headers = { 'content-type': 'application/json' }
  const answer = await service.request('PUT', path, { key: me.key, body, headers })
  assert.equal(answer.body.data.rows_refused, 1_000)
  for (const { errors } of answer.body.data.rows) assert.equal(errors.length, 5)
  assert(answer.text.length < 4 * body.length, `${answer.text.length} bytes`)
})

test('a name that appears twice in one JSON object is refused, in objects, tables and rows', async () => {
  const json = (path: string, key: string, body: string, type = 'application/json'): Promise<Answer> =>
    service.request(path.includes('bulk') ? 'PUT' : 'POST', path, { key, body, headers: { 'content-type': type } })
  const { admin } = operators.keys
  const object = await refuses(() => json('/operator/v1/clients/', admin, '{"client_name":"A","client_name":"B"}'))
  assert(object.body.errors.some(({ code, field }) => code === 'field_repeated' && field === 'client_name'))
  const rows = '[{"item_id":1,"quantity":1,"quantity":2}]'
  const table = await refuses(() => json(`/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`, me.key, rows))
  assert.deepEqual(
    table.body.errors.map(({ code, field }) => [code, field]),
    [['field_repeated', 'quantity']],
  )
  const row = '{"item_id":1,"on_hand":1,"on_hand":2,"stock_id":1}'
  const imported = await json('/operator/v1/imports/stock-levels/', admin, row, 'application/x-ndjson')
  assert.equal(imported.status, 409)
  assert(imported.body.errors.some(({ code, field }) => code === 'field_repeated' && field === 'on_hand'))
})
