import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const send = (path: string, body: string | Buffer, type = 'application/x-ndjson'): Promise<Answer> =>
  service.request('POST', `/operator/v1/imports/${path}`, {
    key: operators.keys.cataloguer,
    body,
    headers: { 'content-type': type },
  })
const ndjson = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const csv = (path: string, ...lines: string[]): Promise<Answer> => send(path, lines.join('\n'), 'text/csv')

const levels = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await service.sql("select stock_id || '/' || item_id as level, on_hand from stock_levels order by 1")).map(
      ({ level, on_hand }) => [level, on_hand],
    ),
  ) as Record<string, string>
const prices = async (list: number): Promise<Record<string, unknown>[]> =>
  service.sql('select item_id::int as item_id, price::float as price from prices where price_list_id = $1 order by 1', [
    list,
  ])
const everything = async (): Promise<unknown> => [await levels(), await prices(1), await prices(2), await items()]
const items = async (): Promise<unknown> =>
  service.sql('select * from items join item_words using (item_id) order by item_id, word')

const counts = ({ body: { data } }: Answer): unknown[] => [
  data.import_state,
  data.rows,
  data.rows_added,
  data.rows_changed,
  data.rows_unchanged,
  data.rows_refused,
]

/** What the errors of a refused import say: the summary, then each bad row. */
const bad = (answer: Answer): unknown[] => {
  assert.equal(answer.status, 409, answer.text)
  const [summary, ...rows] = answer.body.errors
  assert.equal(summary?.code, 'import_refused')
  return rows.map(({ code, field, details }) => [details?.['line'], code, ...(field === undefined ? [] : [field])])
}

test('a file without `on_sale` leaves items withdrawn, or on sale, as they are', async () => {
  const columns = 'item_id,item_vendor_code,item_barcode,item_title,brand_name,product_id'
  const rows = (title: string, ...ends: string[]): string[] =>
    [451, 452].map((n, place) => `${n},NV-${n},2000000004${n},${title},Nordvalk,45${ends[place] ?? ''}`)
  const onSale = (): Promise<unknown> =>
    service.sql('select on_sale from items where item_id in (451, 452) order by item_id')
  const first = await csv('items', `${columns},on_sale`, ...rows('Bulb', ',false', ','))
  assert.deepEqual(counts(first), ['done', 2, 2, 0, 0, 0])
  assert.deepEqual(await onSale(), [{ on_sale: false }, { on_sale: true }])
  assert.deepEqual(counts(await csv('items?dry_run=true', columns, ...rows('Bulb'))).slice(1), [2, 0, 0, 2, 0])
  assert.deepEqual(counts(await csv('items', columns, ...rows('Bulb'))), ['done', 2, 0, 0, 2, 0])
  assert.deepEqual(counts(await csv('items', columns, ...rows('Bulb H7'))), ['done', 2, 0, 2, 0, 0])
  assert.deepEqual(await onSale(), [{ on_sale: false }, { on_sale: true }])
})

test('items imported from CSV can be found and ordered, and the same file again changes nothing', async () => {
  const file = [
    'item_id,item_vendor_code,item_barcode,item_title,brand_name,product_id,product_name,on_sale',
    '501,NV-501,2000000005017,"Wiper blade 600 mm, ""aero""",Nordvalk,51,Wiper blade 600,true',
    '502,NV-502,2000000005024,Wiper blade 530 mm,Nordvalk,51,,',
    '503,FW-503,2000000005031,"Cabin\nfilter"',
  ]
  const fixed = [...file.slice(0, 3), '503,FW-503,2000000005031,Übergröße Filter-Satz,Filterwerk,12,,false\r']
  const broken = await csv('items', ...file)
  assert.deepEqual(bad(broken), [[4, 'row_malformed']])
  assert.deepEqual(await service.sql('select 1 from items where item_id > 500'), [])

  assert.deepEqual(counts(await csv('items', ...fixed)), ['done', 3, 3, 0, 0, 0])
  assert.deepEqual(
    await service.sql(
      `select i.item_id::int, item_title, brand_name, product_name, on_sale from items i join brands using (brand_id) join products using (product_id)
       where item_id > 500 order by 1`,
    ),
    [
      {
        item_id: 501,
        item_title: 'Wiper blade 600 mm, "aero"',
        brand_name: 'Nordvalk',
        product_name: 'Wiper blade 600',
        on_sale: true,
      },
      {
        item_id: 502,
        item_title: 'Wiper blade 530 mm',
        brand_name: 'Nordvalk',
        product_name: 'Wiper blade 600',
        on_sale: true,
      },
      {
        item_id: 503,
        item_title: 'Übergröße Filter-Satz',
        brand_name: 'Filterwerk',
        product_name: 'Oil filter F2',
        on_sale: false,
      },
    ],
  )
  const before = await everything()
  assert.deepEqual(counts(await csv('items', ...fixed)), ['done', 3, 0, 0, 3, 0])
  assert.deepEqual(await everything(), before)

  assert.deepEqual(counts(await send('prices', ndjson({ price_list_id: 1, item_id: 501, price: 12.5 }))), [
    'done',
    1,
    1,
    0,
    0,
    0,
  ])
  assert.deepEqual(counts(await send('stock-levels', ndjson({ stock_id: 1, item_id: 501, on_hand: 7 }))), [
    'done',
    1,
    1,
    0,
    0,
    0,
  ])
  const shop = shopper(service, await addClient(service))
  const found = await shop.ok('GET', '/api/v1/items/?search=AERO')
  assert.deepEqual(
    found.map((item: { item_id: number; price: number }) => [item.item_id, item.price]),
    [[501, 12.5]],
  )
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 501, quantity: 7 })
  await shop.order(cart_id)
  await service.checkInvariants()
})

test("a changed title changes the item's search words", async () => {
  const row = {
    item_id: 601,
    item_vendor_code: 'QX-601',
    item_barcode: '2000000006014',
    item_title: 'Zahnriemen lang',
    brand_name: 'Quillmark',
    product_id: 61,
  }
  await send('items', ndjson(row))
  const words = async (): Promise<unknown[]> =>
    (await service.sql('select word from item_words where item_id = 601 order by word')).map(({ word }) => word)
  assert.deepEqual(await words(), ['2000000006014', '601', 'lang', 'qx', 'qx-601', 'zahnriemen'])
  const answer = await send('items', ndjson({ ...row, item_title: 'Zahnriemen kurz', product_name: 'Riemen' }))
  assert.deepEqual(counts(answer), ['done', 1, 0, 1, 0, 0])
  assert.deepEqual(await words(), ['2000000006014', '601', 'kurz', 'qx', 'qx-601', 'zahnriemen'])
})

test('all or nothing: every bad row is reported with its line and reason, and nothing has changed', async () => {
  const before = await everything()
  const answer = await send(
    'prices',
    [
      JSON.stringify({ price_list_id: 1, item_id: 1, price: 99 }),
      '',
      JSON.stringify({ price_list_id: 1, item_id: 4711, price: 1 }),
      '{"price_list_id": 1, "item_id"',
      JSON.stringify({ price_list_id: 77, item_id: 1, price: 1 }),
      JSON.stringify({ price_list_id: 1, item_id: 2, price: [1], colour: 'red' }),
      JSON.stringify({ price_list_id: 1, item_id: 1, price: 98 }),
      JSON.stringify({ price_list_id: 1, item_id: 3, price: -1 }),
    ].join('\n'),
  )
  assert.deepEqual(bad(answer), [
    [3, 'item_not_found'],
    [4, 'row_malformed'],
    [5, 'price_list_not_found'],
    [6, 'field_invalid', 'price'],
    [6, 'field_unknown', 'colour'],
    [7, 'row_repeated'],
    [8, 'field_invalid', 'price'],
  ])
  const { import_id, rows, rows_refused } = (answer.body.errors[0]?.details ?? {}) as Record<string, number>
  assert.deepEqual([rows, rows_refused], [7, 6])
  assert.deepEqual(await everything(), before)
  const listed = await operators.ok('GET', `/operator/v1/imports/${import_id}/errors/?limit=2`)
  assert.deepEqual(listed, [
    { line: 3, code: 'item_not_found', message: 'No such item: 4711.', details: { item_id: 4711 } },
    {
      line: 4,
      code: 'row_malformed',
      message: 'The row could not be parsed: it is not valid JSON.',
      details: { reason: 'it is not valid JSON' },
    },
  ])
  assert.equal((await operators.ok('GET', `/operator/v1/imports/${import_id}/`)).import_state, 'refused')
})

test('row by row: the good rows are written, the bad ones are reported', async () => {
  const answer = await csv('prices?mode=rows', 'item_id,price,price_list_id', '1,11,1', '4711,1,1', '2,2.5,1', '3,,1')
  assert.deepEqual(counts(answer), ['done', 4, 0, 1, 1, 2])
  assert.deepEqual((await prices(1)).slice(0, 2), [
    { item_id: 1, price: 11 },
    { item_id: 2, price: 2.5 },
  ])
  const errors = await operators.ok('GET', `/operator/v1/imports/${answer.body.data.import_id}/errors/`)
  assert.deepEqual(
    errors.map(({ line, code }: { line: number; code: string }) => [line, code]),
    [
      [3, 'item_not_found'],
      [5, 'field_missing'],
    ],
  )
})

test('a stock level never falls below what is reserved, whether by a count or by a difference', async () => {
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 8, stock_id: 2 })
  await shop.order(cart_id)
  const before = await levels()
  const rows = [
    { stock_id: 1, item_id: 1, on_hand: 500 },
    { stock_id: 2, item_id: 1, on_hand: 7 },
    { stock_id: 2, item_id: 2, on_hand: 30 },
  ]
  const refused = await send('stock-levels', ndjson(...rows))
  assert.deepEqual(bad(refused), [[2, 'stock_below_reserved']])
  assert.deepEqual(refused.body.errors[1]?.details, { line: 2, stock_id: 2, item_id: 1, on_hand: 7, reserved: 8 })
  assert.deepEqual(await levels(), before)

  const written = await send('stock-levels?mode=rows', ndjson(...rows))
  assert.deepEqual(counts(written), ['done', 3, 0, 2, 0, 1])
  assert.deepEqual(await levels(), { ...before, '1/1': '500', '2/2': '30' })

  const less = { stock_id: 2, item_id: 1, difference: -13 }
  assert.deepEqual(bad(await send('stock-levels', ndjson(less))), [[1, 'import_key_missing']])
  assert.deepEqual(bad(await send('stock-levels?import_key=a', ndjson(less))), [[1, 'stock_below_reserved']])
  const fits = await send(
    'stock-levels?import_key=b',
    ndjson({ ...less, difference: -12 }, { stock_id: 2, item_id: 2, difference: 5 }),
  )
  assert.deepEqual(counts(fits), ['done', 2, 0, 2, 0, 0])
  assert.deepEqual(await levels(), { ...before, '1/1': '500', '2/1': '8', '2/2': '35' })
  await service.checkInvariants()
})

test('the same import with the same key happens once; other content with that key is refused', async () => {
  const row = { stock_id: 3, item_id: 2, difference: 4 }
  const first = await send('stock-levels?import_key=delivery-1', ndjson(row))
  assert.deepEqual(counts(first), ['done', 1, 1, 0, 0, 0])
  const again = await Promise.all(
    Array.from({ length: 8 }, () => send('stock-levels?import_key=delivery-1', ndjson(row))),
  )
  for (const answer of again) assert.deepEqual(answer.body.data, first.body.data)
  assert.equal((await levels())['3/2'], '4')
  const other = await send('stock-levels?import_key=delivery-1', ndjson({ ...row, difference: 5 }))
  assert.deepEqual([other.status, other.body.errors[0]?.code], [409, 'import_key_used'])
  assert.equal((await levels())['3/2'], '4')
  assert.equal((await service.sql("select 1 from imports where import_key = 'delivery-1'")).length, 1)
})

test('a refused import releases its key for a later one', async () => {
  const row = { price_list_id: 1, item_id: 801, price: 5 }
  assert.deepEqual(bad(await send('prices?import_key=first', ndjson(row))), [[1, 'item_not_found']])
  assert.deepEqual(counts(await send('prices?import_key=first', ndjson({ ...row, item_id: 4 }))), [
    'done',
    1,
    0,
    1,
    0,
    0,
  ])
})

test('waiting imports of a kind are written in order of arrival', async () => {
  for (let round = 1; round <= 10; round++) {
    const [blocking] = await service.sql(
      `insert into imports (import_kind, mode, import_state, actor, request_id) values ('stock-levels', 'all', 'checking', '', '') returning import_id`,
    )
    const ids = []
    for (const on_hand of [round, 1000 + round]) {
      const answer = await send('stock-levels?wait=0', ndjson({ stock_id: 3, item_id: 1, on_hand }))
      assert.equal(answer.body.data.import_state, 'waiting')
      ids.push(answer.body.data.import_id as number)
      await sleep(50)
    }
    await service.sql('delete from imports where import_id = $1', [blocking?.['import_id']])
    for (const id of ids)
      assert.equal((await operators.ok('GET', `/operator/v1/imports/${id}/?wait=10`)).import_state, 'done')
    assert.equal((await levels())['3/1'], String(1000 + round))
  }
})

test('an import whose sender disconnects changes nothing and leaves nothing behind', async () => {
  const before = await everything()
  const imports = await service.sql('select import_id from imports order by 1')
  const request = http.request({
    host: '127.0.0.1',
    port: service.port,
    method: 'POST',
    path: '/operator/v1/imports/prices/',
    headers: {
      authorization: operators.keys.cataloguer,
      'content-type': 'application/x-ndjson',
      'transfer-encoding': 'chunked',
    },
  })
  request.on('error', () => undefined)
  for (let n = 1; n <= 3000; n++) request.write(ndjson({ price_list_id: 2, item_id: 1, price: n }))
  await sleep(200)
  request.destroy()
  for (let tries = 0; tries < 100; tries++) {
    if ((await service.sql('select import_id from imports order by 1')).length === imports.length) break
    await sleep(50)
  }
  assert.deepEqual(await service.sql('select import_id from imports order by 1'), imports)
  assert.deepEqual(await service.sql('select 1 from import_batches'), [])
  assert.deepEqual(await everything(), before)
})

test('a sender that disconnects after the refusal of its charset stops nobody else', async () => {
  const socket = net.connect(service.port, '127.0.0.1')
  socket.write(
    `POST /operator/v1/imports/prices/ HTTP/1.1\r\nHost: parts\r\nAuthorization: ${operators.keys.cataloguer}\r\n` +
      'Content-Type: text/csv; charset=klingon\r\nContent-Length: 1000\r\n\r\nitem_id,price',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(String(answer), /^HTTP\/1\.1 400 /)
  socket.destroy()
  await sleep(100) // An error that nobody handles would end the process meanwhile.
  assert.equal((await csv('prices', 'item_id,price,price_list_id', '1,1,1')).status, 200)
})

test('a body that cannot be read as rows is refused before anything is stored', async () => {
  const refusal = async (answer: Promise<Answer>): Promise<unknown> => {
    const { status, body } = await answer
    return [status, body.errors[0]?.code, body.errors[0]?.field]
  }
  const row = ndjson({ price_list_id: 1, item_id: 1, price: 1 })
  assert.deepEqual(await refusal(send('prices', row, 'application/json')), [415, 'unsupported_media_type', undefined])
  assert.deepEqual(await refusal(csv('prices', 'item_id,price', '1,1')), [400, 'field_missing', 'price_list_id'])
  assert.deepEqual(await refusal(csv('prices', 'item_id,price,price_list_id,colour', '1,1,1,red')), [
    400,
    'field_unknown',
    'colour',
  ])
  assert.deepEqual(await refusal(send('prices', 'x'.repeat(70_000))), [400, 'malformed_request', undefined])
  assert.deepEqual(bad(await send('prices', Buffer.from([0x7b, 0xff, 0x7d]))), [[1, 'row_malformed']])
  assert.deepEqual(counts(await send('prices', '')), ['done', 0, 0, 0, 0, 0])
})
