/**
 * Random requests made from `openapi.json`: never a 5xx, always one of the two shapes. 100,000 in `npm run test:long`.
 * A failure prints its request and the seed: FUZZ_SEED=… node --test apps/service/campaigns/fuzz.campaign.ts repeats the run.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { seededRandom } from './seeded-random.ts'
import { refusals } from '../src/vocabulary/refusals.ts'
import { long } from '../src/testing/racing.ts'
import { startService, type Answer, type TestService } from '../src/testing/service.ts'
import { address, addClient, addFixtures, shopper } from '../src/testing/fixtures.ts'

const requests = long ? 100_000 : 10_000
const concurrency = 32

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly properties?: Record<string, Schema>
}
interface Operation {
  readonly parameters?: { name: string; in: string; schema: Schema }[]
  readonly requestBody?: { content: Record<string, { schema: Schema }> }
}
const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const { random, chance, any } = seededRandom(seed)

let service: TestService
const keys: string[] = []
/** Ids that exist, by the name of the field that takes them. Requests that create carts and orders add to them. */
const known: Record<string, string[]> = { item_id: ['1', '2', '3', '4'], stock_id: ['1', '2'], brand_id: ['1', '2'] }

function learn(ids: Record<string, unknown>): void {
  for (const [name, id] of Object.entries(ids))
    if (known[name]?.push(String(id)) === undefined) known[name] = [String(id)]
}

before(async () => {
  service = await startService()
  await addFixtures(service)
  for (let i = 0; i < 3; i++) {
    const me = await addClient(service)
    const shop = shopper(service, me)
    keys.push(me.key)
    for (let round = 0; round < 5; round++) {
      const cart_id = await shop.createCart()
      const cart_item_id = await shop.add(cart_id, { item_id: 1, quantity: 1 })
      learn({ cart_id, cart_item_id, cart_group_key: await shop.groupKey(cart_id), contract_id: me.contract_id })
      const ordered = await shop.createCart()
      await shop.add(ordered, { item_id: 1, quantity: 5 })
      const order_id = await shop.order(ordered)
      const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
      learn({ cart_id: ordered, order_id, order_item_id: line.order_item_id })
    }
  }
})
after(() => service.close())

test(
  `${requests} requests made from openapi.json: never a 5xx, always the promised shape`,
  { timeout: 3_600_000 },
  async () => {
    assert(operations.length >= 25)
    const statuses = new Map<number, number>()
    let left = requests
    const sendRequests = async (): Promise<void> => {
      while (left-- > 0) {
        const request = makeRequest()
        const answer = await service.request(request.method, request.path, request)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        check(answer, request)
        learnFrom(answer)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, sendRequests))
    process.stdout.write(`seed ${seed}: ${JSON.stringify(Object.fromEntries(statuses))}\n`)
    for (const status of [200, 400, 401, 404, 409, 415])
      assert((statuses.get(status) ?? 0) > requests / 1000, `Only ${statuses.get(status)} times ${status}.`)
    await service.checkInvariants()
  },
)

/** Later requests use the ids that earlier ones created. */
function learnFrom({ status, body }: Answer): void {
  if (status !== 200) return
  const { data } = body
  if (Number.isInteger(data.created_order_id)) learn({ order_id: data.created_order_id })
  if (Number.isInteger(data.adjustment_id)) learn({ adjustment_id: data.adjustment_id })
  if (Number.isInteger(data.cart_id)) learn({ cart_id: data.cart_id })
  const key: unknown = data[0]?.cart_group_key
  if (typeof key === 'string') learn({ cart_group_key: key })
}

function check(answer: Answer, request: FuzzRequest): void {
  const context = `seed ${seed}: ${JSON.stringify(request)} answered ${answer.status} ${answer.text.slice(0, 500)}`
  assert(answer.status < 500, context)
  assert.match(String(answer.headers['x-request-id']), /^[\w.-]{1,64}$/, context)
  if (request.method === 'OPTIONS' && answer.status === 204) return
  if (answer.status === 200) {
    assert.equal(answer.body.status, 'ok', context)
    assert(typeof answer.body.data === 'object', context)
    return
  }
  assert.deepEqual(Object.keys(answer.body), ['status', 'errors', 'request_id'], context)
  assert(answer.body.errors.length > 0, context)
  for (const error of answer.body.errors) {
    assert(error.code in refusals && error.message.endsWith('.'), context)
    assert.equal(refusals[error.code as keyof typeof refusals].status, answer.status, context)
  }
}

interface FuzzRequest {
  method: string
  path: string
  key: string | undefined
  body?: string
  headers: Record<string, string>
}

function makeRequest(): FuzzRequest {
  const { path, method, operation } = any(operations)
  const parameters = operation.parameters ?? []
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(value(parameters.find((p) => p.name === name)?.schema ?? {}, name)),
  )
  const query = pairs(
    parameters.filter((p) => p.in === 'query').map(({ name, schema }) => [name, schema]),
    0.3,
  )
  const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema.properties
  const key = chance(0.97)
    ? any(keys)
    : any([undefined, '', 'pos_1_x_y', `Bearer ${keys[0]}`, 'ключ'.normalize('NFD').replaceAll(/[^\x20-\x7e]/g, '?')])
  return {
    method: chance(0.99) ? method : any(['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS']),
    path: (chance(0.2) ? filled.replace(/\/$/, '') : filled) + (query === '' ? '' : `?${query}`),
    key,
    ...(form !== undefined && chance(0.98) ? { body: pairs(Object.entries(form), 0.97) } : {}),
    headers:
      form === undefined
        ? {}
        : {
            'content-type': chance(0.97)
              ? 'application/x-www-form-urlencoded'
              : any(['application/json', '', 'a/b', 'text/plain; x']),
          },
  }
}

function pairs(fields: [string, Schema][], likely: number): string {
  const parts = fields.filter(() => chance(likely)).map(([name, schema]) => `${name}=${encode(value(schema, name))}`)
  if (chance(0.02)) parts.push(any(strays))
  if (chance(0.01) && parts[0] !== undefined) parts.push(parts[0])
  return parts.join('&')
}

/** Mostly a valid value, so that requests pass validation; sometimes anything. */
function value(schema: Schema, name: string): string {
  if (chance(0.08)) return any(junk)
  const ids = known[name]
  if (ids !== undefined) return chance(0.5) ? any(ids.slice(-20)) : any(ids)
  const given = (address as Record<string, string>)[name]
  if (given !== undefined) return given
  if (name === 'quantity') return String(Math.floor(random() * 8))
  if (name === 'limit') return String(1 + Math.floor(random() * 20))
  if (schema.type === 'integer') return String(Math.floor(random() * 1_000))
  if (schema.format === 'date')
    return Temporal.Now.plainDateISO('UTC')
      .add({ days: Math.floor(random() * 120) - 15 })
      .toString()
  if (name === 'state') return any(['new', 'zayavka-na-otmen', 'canceled', 'nonsense'])
  return any(['BN-280-V', 'oil filter', 'Spark', 'Cart', 'DE', 'ж', '100%', "o'clock", 'a&b=c', '🚗'])
}

const junk = [
  '', ' ', '0', '-1', '1e3', '0x1', '9007199254740991', '9007199254740992', '1.5', 'null', '\u0000', '\n', "'; drop table orders; --", '$1', '%', '\\',
  '../..', '{"a":1}', 'é', 'e\u0301', '\u202e', '\ud83d\ude97', 'x'.repeat(200), 'x'.repeat(201), 'x'.repeat(255), 'x'.repeat(256), '9999-12-31', '0001-01-01', '1-0123456789abcdef-0123456789abcdef',
] // prettier-ignore

const strays = [
  'unknown=1', '=', '&&&', '%', '%ff=1', 'a=%ff', '__proto__=1', 'constructor=2', '_=1', 'utm_source=x', 'quantity=1', 'order_id=1', 'limit=1',
] // prettier-ignore

function encode(text: string): string {
  return chance(0.02) ? text.replaceAll(/[^\x21-\x7e]/g, '?') : encodeURIComponent(text)
}
