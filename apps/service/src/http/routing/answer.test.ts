/** Lists as CSV: complete, readable by spreadsheets, streamed, and stopped with their reader. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { prefers } from './answer.ts'
import { operatorSideRoutes, type FeatureParts } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { readCsvRecord } from '../../input/csv.ts'
import { operatorRouteCases } from '../../route-cases.ts'
import { copyOrder } from '../../testing/copy-order.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators } from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { makeWorld } from '../../testing/world.ts'
import { countStatements, type StatementCounter } from '../../testing/statement-counter.ts'

let service: TestService
let counter: StatementCounter
let operators: Operators
const routes = operatorSideRoutes({ config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts)

before(async () => {
  service = await startService({
    through: async (url) => {
      counter = await countStatements(url)
      return counter.url
    },
  })
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(async () => {
  await service.close()
  counter.close()
})

const csv = (path: string, key = operators.keys.viewer): Promise<Answer> =>
  service.request('GET', path, { key, headers: { accept: 'text/csv' } })

const lists = routes.filter(({ method, paged, data }) => method === 'GET' && (paged === true || 'items' in data))

test('every list of operators is offered as CSV', () => {
  assert(lists.length >= 20)
  assert(lists.every((route) => route.csv))
})

for (const { path, operationId } of lists) {
  test(`${operationId} as CSV has the rows and values of its JSON`, async () => {
    const { path: sent } = await operatorCase(path)
    const json = await service.request('GET', sent, { key: operators.keys.admin })
    const { status, headers, text } = await csv(sent, operators.keys.admin)
    assert.equal(status, 200, text)
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present')
    assert.match(String(headers['content-disposition']), /^attachment; filename="[a-z-]+\.csv"$/)
    assert.match(String(headers.vary), /Accept/)
    const [names = [], ...rows] = recordsOf(text)
    assert.equal(new Set(names).size, names.length)
    assert.equal(rows.length, json.body.data.length)
    const age = names.indexOf('age_seconds')
    for (const [n, row] of rows.entries()) {
      const expected = names.map((name) => cellOf(json.body.data[n], name))
      // The CSV was made later, maybe by seconds.
      if (age !== -1 && Number(row[age]) > Number(expected[age])) expected[age] = row[age] ?? ''
      assert.deepEqual(row, expected)
    }
  })
}

async function operatorCase(path: string): Promise<{ path: string }> {
  const cases = operatorRouteCases[`GET ${path}`]
  assert(cases)
  return cases.success(await makeOperatorWorld(service, operators))
}

/** Records may contain line feeds within quotes. */
function recordsOf(text: string, separator = ','): string[][] {
  const records: string[][] = []
  let rest = ''
  for (const line of text.split('\r\n').slice(0, -1)) {
    const record = readCsvRecord(rest + line, separator)
    if (typeof record === 'string') rest += `${line}\r\n`
    else {
      records.push(record)
      rest = ''
    }
  }
  return records
}

function cellOf(row: unknown, name: string): string {
  const value = name
    .split('.')
    .reduce<unknown>((of, part) => (of as Record<string, unknown> | null | undefined)?.[part], row)
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return /^[=+\-@]/.test(value) ? `'${value}` : value
  return JSON.stringify(value)
}

const prices = '/operator/v1/price-lists/1/prices/'

test('separator, decimal comma and byte order mark are the caller’s choice', async () => {
  const first = async (query: string): Promise<string[]> => (await csv(`${prices}?${query}`)).text.split('\r\n')
  assert.deepEqual((await first('')).slice(0, 3), [
    'item_id,item_vendor_code,item_title,on_sale,price,price_breaks',
    '1,BN-280-V,Brake disc front 280 mm vented,true,10,[]',
    '2,FW-2,Oil filter F2,true,2.5,[]',
  ])
  assert.equal((await first('csv_separator=semicolon'))[2], '2;FW-2;Oil filter F2;true;2.5;[]')
  assert.equal((await first('csv_separator=%3B'))[2], '2;FW-2;Oil filter F2;true;2.5;[]')
  assert.equal((await first('csv_separator=tab'))[2], '2\tFW-2\tOil filter F2\ttrue\t2.5\t[]')
  assert.equal((await first('csv_decimal=comma'))[2], '2;FW-2;Oil filter F2;true;2,5;[]')
  assert.equal((await first('csv_decimal=comma&csv_separator=comma'))[2], '2,FW-2,Oil filter F2,true,"2,5",[]')
  assert.equal((await first(''))[3], '3,ЖK-7,"Spark plug K7, 4 pieces",true,0.3333,[]')
  assert.equal(
    (await first('csv_bom=true'))[0],
    '\u{FEFF}item_id,item_vendor_code,item_title,on_sale,price,price_breaks',
  )
  const wrong = await csv(`${prices}?csv_separator=pipe&csv_decimal=dot`)
  assert.deepEqual(
    wrong.body.errors.map(({ code, field }) => [code, field]),
    [
      ['field_invalid', 'csv_separator'],
      ['field_invalid', 'csv_decimal'],
    ],
  )
})

test('a text that a spreadsheet would calculate gets an apostrophe; a negative number does not', async () => {
  await service.sql(`insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title) values
    (901, 11, 1, '=1+1', '1', '@SUM("A1";2)'), (902, 11, 1, '+49', '2', 'PO,=x'), (903, 11, 1, 'ok', '3', 'a=b')`)
  await service.sql('insert into prices select 3, item_id, 1 from items where item_id between 901 and 903')
  const { text } = await csv('/operator/v1/price-lists/3/prices/?csv_separator=semicolon')
  assert.deepEqual(text.split('\r\n').slice(2, -1), [
    `901;'=1+1;"'@SUM(""A1"";2)";true;1;[]`,
    `902;'+49;PO,'=x;true;1;[]`,
    '903;ok;a=b;true;1;[]',
  ])
})

test('a limit gives one page, a cursor the rest, and the cursor of a JSON page fits', async () => {
  const json = await service.request('GET', `${prices}?limit=2`, { key: operators.keys.viewer })
  const ids = async (query: string): Promise<(string | undefined)[]> =>
    recordsOf((await csv(`${prices}${query}`)).text)
      .slice(1)
      .map(([id]) => id)
  assert.deepEqual(await ids('?limit=2'), ['1', '2'])
  assert.deepEqual(await ids(`?cursor=${json.body.paging?.next_cursor ?? null}&csv_separator=comma`), ['3', '4', '5'])
})

test('a refusal is answered as JSON, and JSON stays the default', async () => {
  const refused = await csv('/operator/v1/price-lists/999/prices/')
  assert.equal(refused.status, 404)
  assert.equal(refused.body.errors[0]?.code, 'price_list_not_found')
  assert.equal((await service.request('GET', prices, { headers: { accept: 'text/csv' } })).status, 401)
  for (const [accept, expected] of [
    [undefined, false],
    ['*/*', false],
    ['text/*', false],
    ['text/csv', true],
    ['TEXT/CSV; q=0.5, */*;q=0.1', true],
    ['application/json, text/csv;q=0.9', false],
    ['application/json;q=0.5, text/csv', true],
    ['text/csv;q=0', false],
    ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ] as const)
    assert.equal(prefers('text/csv', accept), expected, String(accept))
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const manyRows = 60_000 // 120 pages; more than the buffers between the service and its caller hold.
const manyPrices = '/operator/v1/price-lists/52/prices/'

/** A price list of this many items. */
async function addPrices(price_list_id: number, count: number): Promise<string> {
  await service.sql(
    `insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
     select n, 11, 1, 'EX-' || n, n, repeat('A long title of an item ', 8) from generate_series(100001, 100000 + $1::int) n
     on conflict do nothing`,
    [count],
  )
  await service.sql(
    `insert into price_lists (price_list_id, price_list_name, currency_code) values ($1, 'Exported', 'EUR')`,
    [price_list_id],
  )
  await service.sql('insert into prices select $1::bigint, n, 1 from generate_series(100001, 100000 + $2::int) n', [
    price_list_id,
    count,
  ])
  return `/operator/v1/price-lists/${price_list_id}/prices/`
}

const open = (path: string): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: operators.keys.viewer, accept: 'text/csv' }
    http.get({ port: service.port, host: '127.0.0.1', path, headers, agent: false }, resolve).on('error', reject)
  })

test('memory does not grow with the number of rows', async (t) => {
  /** The most that was in use at any time while the list was read, without garbage. */
  const heapWhileReading = async (path: string): Promise<{ heap: number; bytes: number }> => {
    let [bytes, heap, looked] = [0, 0, 0]
    for await (const chunk of (await open(path)) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes - looked < 500_000) continue
      looked = bytes
      collectGarbage()
      heap = Math.max(heap, process.memoryUsage().heapUsed)
    }
    return { heap, bytes }
  }
  const [few, many] = [await addPrices(51, 3_000), await addPrices(52, manyRows)]
  await heapWhileReading(few) // Compiles and caches.
  const small = await heapWhileReading(few)
  const large = await heapWhileReading(many)
  t.diagnostic(
    `heap ${small.heap >> 20} MB with ${small.bytes >> 20} MB, ${large.heap >> 20} MB with ${large.bytes >> 20} MB`,
  )
  assert(large.bytes > 15 * small.bytes)
  assert(large.heap - small.heap < (large.bytes - small.bytes) / 3)
})

test('a caller that stops reading stops the reading of pages, and one that leaves ends it', async () => {
  counter.take()
  let pages = 0
  const count = (): number => (pages += counter.take().filter((name) => name === 'list-prices').length)
  const answer = await open(manyPrices)
  answer.pause()
  /** Whether no page was read in between. */
  const isQuiet = async (): Promise<boolean> => {
    const before = count()
    await new Promise((resolve) => setTimeout(resolve, 300))
    return count() === before
  }
  await eventually(isQuiet)
  const stopped = count()
  assert(stopped > 0 && stopped < 100, `${stopped} of 120 pages were read for a caller that reads nothing.`)
  answer.resume()
  await eventually(async () => count() > stopped + 5)
  answer.pause()
  answer.destroy()
  await eventually(isQuiet)
  assert(count() < 120)
  await eventually(async () => service.log.some((line) => line.includes('"route":"/operator/v1/price-lists/')))
})

test('the export ends when the key is revoked', async () => {
  const { key, key_id } = await operators.ok('POST', '/operator/v1/operator-keys/', {
    operator_name: 'Exporter',
    role: 'viewer',
  })
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const headers = { authorization: key, accept: 'text/csv' }
    http
      .get({ port: service.port, host: '127.0.0.1', path: manyPrices, headers, agent: false }, resolve)
      .on('error', reject)
  })
  answer.pause()
  await operators.ok('DELETE', `/operator/v1/operator-keys/${key_id}/`)
  await eventually(async () => (await service.request('GET', '/operator/v1/inbox/', { key })).status === 401)
  await assert.rejects(async () => {
    for await (const chunk of answer as AsyncIterable<Buffer>) assert(chunk.length > 0)
  }, /aborted/)
})

test('a long list is the same in pieces as in short pages, with its paging and its type', async () => {
  const { shop, me } = await makeWorld(service)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await copyOrder(service, await shop.order(cart_id), 119)
  const read = (query: string) => service.request('GET', `/api/v1/orders/?${query}`, { key: me.key })
  const [all, most] = [await read('limit=500'), await read('limit=119')]
  assert.equal(all.headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(Object.keys(all.body), ['status', 'data', 'paging'])
  const short: unknown[] = []
  for (let cursor = ''; ;) {
    const { body } = await read(`limit=50${cursor}`)
    short.push(...body.data)
    if (body.paging?.next_cursor == null) break
    cursor = `&cursor=${body.paging.next_cursor}`
  }
  assert.equal(short.length, 120)
  assert.deepEqual(all.body.data, short)
  assert.deepEqual(most.body.data, short.slice(0, 119))
  assert.notEqual(most.body.paging?.next_cursor, null)
})
