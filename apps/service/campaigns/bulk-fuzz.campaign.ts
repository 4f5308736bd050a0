/**
 * Random bodies of bulk additions, as CSV and JSON, whole and damaged: never a 5xx, always one of the two shapes. 20,000 in
 * `npm run test:long`.
 * A failure prints its request and the seed: FUZZ_SEED=… node --test apps/service/campaigns/bulk-fuzz.campaign.ts repeats it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { seededRandom } from './seeded-random.ts'
import type { BulkResult } from '../src/carts/tables/add-cart-items.ts'
import { refusals } from '../src/vocabulary/refusals.ts'
import { long } from '../src/testing/racing.ts'
import { startService, type Answer, type TestService } from '../src/testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../src/testing/fixtures.ts'

const requests = long ? 20_000 : 3_000
const concurrency = 8
const requestsPerCart = 50

const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const { random, chance, any } = seededRandom(seed)

let service: TestService
const clients: TestClient[] = []

before(async () => {
  service = await startService()
  await addFixtures(service)
  // Shares its key, but not its article, with item 2.
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    values (7, 12, 1, 'FW.2', '7', 'Oil filter of another brand');
    insert into prices values (1, 7, 3)`)
  for (let n = 0; n < 3; n++) clients.push(await addClient(service))
})
after(() => service.close())

test(
  `${requests} bodies of bulk additions: never a 5xx, always the promised shape`,
  { timeout: 3_600_000 },
  async () => {
    const seen = new Map<string, number>()
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1)
    let left = requests
    const sendRequests = async (): Promise<void> => {
      while (left > 0) {
        const client = any(clients)
        const shop = shopper(service, client)
        const cart_id = await shop.createCart()
        for (let n = 0; n < requestsPerCart && left-- > 0; n++) {
          const request = makeRequest(cart_id, client)
          const answer = await service.request('PUT', request.path, { key: client.key, ...request })
          check(answer, request)
          count(String(answer.status))
          for (const code of codesOf(answer)) count(code)
        }
        await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, sendRequests))
    process.stdout.write(`seed ${seed}: ${JSON.stringify(Object.fromEntries(seen))}\n`)
    for (const what of mustHappen)
      assert((seen.get(what) ?? 0) > requests / 1000, `Only ${seen.get(what) ?? 0} times ${what}.`)
    await service.checkInvariants()
  },
)

/** Outcomes that must occur, or the random bodies prove nothing. */
const mustHappen = [
  '200', '400', '404', '409', '413', '415', 'added', 'possible', 'merged', 'rows_refused', 'article_not_found',
  'article_ambiguous', 'item_not_on_sale', 'item_not_priced', 'stock_not_serving', 'contract_not_found', 'row_malformed',
  'field_invalid', 'field_missing', 'malformed_request', 'idempotency_key_used',
] // prettier-ignore

/** What happened: the codes of the answer and of its rows, and the outcomes. */
function codesOf({ status, body }: Answer): Set<string> {
  if (status !== 200) return new Set(body.errors.map(({ code }) => code))
  const { rows } = body.data as BulkResult
  return new Set(
    rows.flatMap(({ outcome, errors = [], merged_into }) => [
      outcome,
      ...errors.map(({ code }) => code),
      ...(merged_into === undefined ? [] : ['merged']),
    ]),
  )
}

function check(answer: Answer, request: FuzzedRequest): void {
  const sent = { ...request, body: request.body.toString('latin1').slice(0, 2_000) }
  const context = `seed ${seed}: ${JSON.stringify(sent)} answered ${answer.status} ${answer.text.slice(0, 500)}`
  assert(answer.status < 500, context)
  if (answer.status !== 200) {
    assert.deepEqual(Object.keys(answer.body), ['status', 'errors', 'request_id'], context)
    for (const { code, message } of answer.body.errors) assert(code in refusals && message.endsWith('.'), context)
    return
  }
  const { rows, rows_added, rows_refused } = answer.body.data as BulkResult
  assert(rows.length > 0 && rows.length <= 1000, context)
  assert.equal(rows.filter(({ outcome }) => outcome === 'added').length, rows_added, context)
  assert.equal(rows.filter(({ outcome }) => outcome === 'refused').length, rows_refused, context)
  for (const { outcome, errors, item, price } of rows) {
    assert.equal(outcome === 'refused', errors !== undefined, context)
    for (const { code, message } of errors ?? []) assert(code in refusals && message.endsWith('.'), context)
    if (outcome !== 'refused') assert(item !== undefined && price !== undefined, context)
  }
}

interface FuzzedRequest {
  readonly path: string
  readonly body: Buffer
  readonly headers: Record<string, string>
}

type FuzzedRow = Record<string, string | number>

function makeRequest(cart_id: number, client: TestClient): FuzzedRequest {
  const query = [
    ...(chance(0.9) ? [`stock_id=${any([1, 1, 1, 1, 1, 1, 2, 2, 3, 'x'])}`] : []),
    ...(chance(0.2) ? [`mode=${any(['all', 'all', 'rows', 'some'])}`] : []),
    ...(chance(0.2) ? [`dry_run=${any(['true', 'true', 'false', '1'])}`] : []),
    ...(chance(0.1) ? [`contract_id=${any([client.contract_id, client.special_contract_id, 404])}`] : []),
  ]
  const count = chance(0.02) ? 980 + Math.floor(random() * 40) : Math.floor(random() * 20)
  const rows = Array.from({ length: count }, () => makeRow(client))
  const { body, type } = chance(0.4) ? asJson(rows) : asCsv(rows)
  return {
    path: `/api/v1/carts/${chance(0.99) ? cart_id : 404}/items/bulk/?${query.join('&')}`,
    body: chance(0.25) ? damaged(body) : body,
    headers: {
      'content-type': chance(0.98)
        ? type
        : any(['', 'a/b', 'application/x-www-form-urlencoded', 'text/csv; charset=x']),
      ...(chance(0.1) ? { 'idempotency-key': any(['a', 'b', 'c']) } : {}),
    },
  }
}

function makeRow({ contract_id, limited_contract_id }: TestClient): FuzzedRow {
  const row: FuzzedRow = {
    ...any<FuzzedRow>([
      { article: any(['BN-280-V', 'bn 280 v', 'FW2', 'fw-2/10', 'ЖK-7', 'BN-OLD', 'жk8', 'nothing']) },
      { barcode: any(['4006381333931', '4006381333948', '4006381333955', '404', 'filter']) },
      { item_id: any([1, 2, 3, 4, 5, 6, 404]) },
      { article: any(['BN-280-V', 'FW-2']), barcode: '4006381333931' },
      {},
    ]),
    quantity: any([1, 2, 3, 100_000, 1_000_000, '2,0', '2.5', '1.000']),
    ...(chance(0.2) ? { stock_id: any([1, 2, 3, 404]) } : {}),
    ...(chance(0.2) ? { for_advertising_budget: any(['Spring', ' Spring ', 'Herbst;"ü"', "o'clock", '🚗']) } : {}),
    ...(chance(0.1) ? { contract_id: any([contract_id, limited_contract_id, 404]) } : {}),
  }
  if (chance(0.1)) row[any(['article', 'barcode', 'item_id', 'quantity', 'stock_id', 'colour'])] = any(junk)
  return row
}

const junk = [
  '', ' ', 0, -1, 1.5, 1e21, 9_007_199_254_740_991, 9_007_199_254_740_992, '1e3', '0x1', '4,00638E+12', '\u0000', '\n', '\t', '"', '""', "'; drop table items; --",
  '$1', '\\', '{"a":1}', '{NULL}', 'NULL', 'é', 'e\u0301', '\u202e', '\ud800', 'x'.repeat(100), 'x'.repeat(101), '-', '. / -', ':client_id',
] // prettier-ignore

function asJson(rows: readonly FuzzedRow[]): { body: Buffer; type: string } {
  const odd = any<unknown>([null, 1, 'x', [], [[]], { rows: null }, { rows: [], mode: 'all' }, [null], [1, {}]])
  const json = JSON.stringify(chance(0.05) ? odd : chance(0.5) ? rows : { rows })
  return { body: encoded(json), type: 'application/json' }
}

const columns = [
  'article',
  'barcode',
  'item_id',
  'quantity',
  'stock_id',
  'for_advertising_budget',
  'contract_id',
  'colour',
]

function asCsv(rows: readonly FuzzedRow[]): { body: Buffer; type: string } {
  const separator = any([';', ';', ',', '\t'])
  const headed = chance(0.8)
  const used = headed ? columns.filter(() => chance(0.9)) : ['article', 'quantity', 'stock_id']
  const cell = (value: string | number): string => {
    const text = String(value)
    return text.includes(separator) || chance(0.1) ? `"${chance(0.95) ? text.replaceAll('"', '""') : text}"` : text
  }
  const lines = rows.map((row) => used.map((name) => cell(row[name] ?? '')).join(separator))
  const text = [...(headed ? [used.join(separator)] : []), ...lines].join(any(['\n', '\r\n', '\r']))
  if (chance(0.1))
    return { body: Buffer.from(text, 'latin1'), type: `text/csv; charset=${any(['windows-1252', 'latin1', 'utf-8'])}` }
  return { body: encoded(text), type: separator === '\t' ? 'text/tab-separated-values' : 'text/csv' }
}

function encoded(text: string): Buffer {
  if (chance(0.8)) return Buffer.from(chance(0.2) ? `\uFEFF${text}` : text)
  const wide = Buffer.from(chance(0.9) ? `\uFEFF${text}` : text, 'utf16le')
  return chance(0.5) ? wide : wide.swap16()
}

/** Changes, removes or repeats a few bytes. */
function damaged(body: Buffer): Buffer {
  const bytes = [...body]
  for (let n = 1 + Math.floor(random() * 4); n > 0; n--) {
    const at = Math.floor(random() * (bytes.length + 1))
    const some = Math.floor(random() * 6)
    const damage = any(['removed', 'repeated', 'changed', 'changed'])
    if (damage === 'removed') bytes.splice(at, some)
    else if (damage === 'repeated') bytes.splice(at, 0, ...bytes.slice(at, at + some))
    else bytes.splice(at, 1, chance(0.5) ? any(tellingBytes) : Math.floor(random() * 256))
  }
  return Buffer.from(bytes)
}

const tellingBytes = [0x22, 0x3b, 0x2c, 0x0a, 0x00, 0xff, 0x7b, 0x5d] // Quotes, separators, brackets and what is not text.
