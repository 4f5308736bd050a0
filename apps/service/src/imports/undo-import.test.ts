/** Dry runs, stopped and undone imports: what they leave unchanged, completely. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { batchRows } from './receive-import.ts'
import { finishImports } from './run-import.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually } from '../testing/process.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  await operators.ok('PUT', '/operator/v1/stock-levels/1/1/arrivals/', {
    arrivals: [{ date: '2031-11-20', quantity: 7 }],
  })
  await operators.ok('PUT', '/operator/v1/items/1/substitutes/', { replaced_by: 3, substitutes: [2] })
})
after(() => service.close())

const send = (path: string, ...rows: object[]): Promise<Answer> =>
  service.request('POST', `/operator/v1/imports/${path}`, {
    key: operators.keys.cataloguer,
    body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  })
const act = (import_id: number, action: string): Promise<Answer> =>
  service.request('POST', `/operator/v1/imports/${import_id}/${action}/`, { key: operators.keys.cataloguer })
const read = (import_id: number) => operators.ok('GET', `/operator/v1/imports/${import_id}/`)

/** The catalogue without versions and counters, which only rise. */
const catalogue = async (): Promise<unknown> => [
  await service.sql('select price_list_id, item_id, price from prices order by 1, 2'),
  await service.sql(`select item_id, product_id, brand_name, item_vendor_code, item_barcode, item_title, on_sale,
    (select array_agg(word order by word) from item_words w where w.item_id = i.item_id) as words
    from items i join brands using (brand_id) order by 1`),
  await service.sql('select stock_id, item_id, on_hand, reserved from stock_levels order by 1, 2'),
  await service.sql(
    'select stock_id, item_id, arrives_on::text, quantity::float8 from stock_arrivals order by 1, 2, 3',
  ),
  await service.sql('select item_id::float8, place, substitute_id::float8 from item_substitutes order by 1, 2'),
]

const item = {
  item_id: 1,
  item_vendor_code: 'BN-281-V',
  item_barcode: '4006381333931',
  item_title: 'Brake disc rear',
  brand_name: 'Newly made',
  product_id: 11,
}

const files: [string, object[], object[]][] = [
  [
    'prices',
    [
      { price_list_id: 1, item_id: 1, price: 11 },
      { price_list_id: 1, item_id: 2, price: 2.5 },
      { price_list_id: 1, item_id: 6, price: 6 },
    ],
    [
      { item_id: 1, price_list_id: 1, stock_id: null, change: 'changed', before: { price: 10 }, after: { price: 11 } },
      { item_id: 6, price_list_id: 1, stock_id: null, change: 'added', before: null, after: { price: 6 } },
    ],
  ],
  [
    'stock-levels?import_key=undo',
    [
      { stock_id: 2, item_id: 1, on_hand: 15 },
      { stock_id: 2, item_id: 2, difference: 4 },
      { stock_id: 2, item_id: 3, on_hand: 5 },
    ],
    [
      { item_id: 1, price_list_id: null, stock_id: 2, change: 'changed', before: null, after: { difference: -5 } },
      { item_id: 2, price_list_id: null, stock_id: 2, change: 'changed', before: null, after: { difference: 4 } },
      { item_id: 3, price_list_id: null, stock_id: 2, change: 'added', before: null, after: { difference: 5 } },
    ],
  ],
  [
    'arrivals',
    [
      { stock_id: 1, item_id: 1, arrivals: [] },
      { stock_id: 1, item_id: 2, arrivals: [{ date: '2031-11-24', quantity: 200 }] },
      { stock_id: 1, item_id: 3, arrivals: [] },
    ],
    [
      {
        item_id: 1,
        price_list_id: null,
        stock_id: 1,
        change: 'changed',
        before: { arrivals: [{ date: '2031-11-20', quantity: 7 }] },
        after: { arrivals: [] },
      },
      {
        item_id: 2,
        price_list_id: null,
        stock_id: 1,
        change: 'added',
        before: null,
        after: { arrivals: [{ date: '2031-11-24', quantity: 200 }] },
      },
    ],
  ],
  [
    'substitutes',
    [{ item_id: 1 }, { item_id: 2, replaced_by: 4, substitutes: [3, 1] }, { item_id: 3 }],
    [
      {
        item_id: 1,
        price_list_id: null,
        stock_id: null,
        change: 'changed',
        before: { replaced_by: 3, substitutes: [2] },
        after: { replaced_by: null, substitutes: [] },
      },
      {
        item_id: 2,
        price_list_id: null,
        stock_id: null,
        change: 'added',
        before: null,
        after: { replaced_by: 4, substitutes: [3, 1] },
      },
    ],
  ],
  [
    'items',
    [item],
    [
      {
        item_id: 1,
        price_list_id: null,
        stock_id: null,
        change: 'changed',
        before: {
          item_vendor_code: 'BN-280-V',
          item_barcode: '4006381333931',
          item_title: 'Brake disc front 280 mm vented',
          brand_name: 'Bremsen Nord',
          product_id: 11,
          quantity_min: 1,
          quantity_multiple: 1,
          on_sale: true,
        },
        after: {
          item_vendor_code: 'BN-281-V',
          item_barcode: '4006381333931',
          item_title: 'Brake disc rear',
          brand_name: 'Newly made',
          product_id: 11,
          quantity_min: 1,
          quantity_multiple: 1,
          on_sale: true,
        },
      },
    ],
  ],
]

/** The changes without the present article and title, which come from the item. */
async function listed(import_id: number): Promise<object[]> {
  const rows = await operators.ok('GET', `/operator/v1/imports/${import_id}/changes/`)
  return Promise.all(
    rows.map(async ({ item_vendor_code, item_title, ...row }: { item_id: number } & Record<string, unknown>) => {
      const found = await service.sql('select item_vendor_code, item_title from items where item_id = $1', [
        row.item_id,
      ])
      assert.deepEqual(
        [{ item_vendor_code, item_title }],
        found.length > 0 ? found : [{ item_vendor_code: null, item_title: null }],
      )
      return row
    }),
  )
}

for (const [path, rows, changes] of files) {
  const kind = path.split('?')[0] ?? ''
  const dry = `${path}${path.includes('?') ? '&' : '?'}dry_run=true`

  test(`a dry run of ${kind} says what would change, and changes nothing`, async () => {
    const stored = await catalogue()
    const log = await service.sql('select count(*) from catalogue_changes')
    const { status, text, body } = await send(dry, ...rows)
    assert.equal(status, 200, text)
    const { import_state, dry_run, rows_added, rows_changed, import_id, undoable } = body.data
    const added = changes.filter((change) => 'change' in change && change.change === 'added').length
    assert.deepEqual(
      [import_state, dry_run, rows_added, rows_changed, undoable],
      ['done', true, added, changes.length - added, false],
    )
    assert.deepEqual(await listed(import_id), changes)
    assert.deepEqual(await catalogue(), stored)
    assert.deepEqual(await service.sql('select count(*) from catalogue_changes'), log)
    const undone = await act(import_id, 'undo')
    assert.deepEqual([undone.status, undone.body.errors[0]?.code], [409, 'import_not_undoable'])
  })

  test(`undoing an import of ${kind} restores what was before, once`, async () => {
    const stored = (await catalogue()) as object[][]
    const { data } = (await send(path, ...rows)).body
    assert.deepEqual([data.import_state, data.undoable], ['done', true])
    assert.deepEqual(await listed(data.import_id), changes)
    assert.notDeepEqual(await catalogue(), stored)
    const undone = await act(data.import_id, 'undo')
    assert.equal(undone.status, 200, undone.text)
    assert.deepEqual([undone.body.data.import_state, undone.body.data.undoable], ['undone', false])
    assert.deepEqual((await act(data.import_id, 'undo')).body.data, undone.body.data)
    const [prices, items, levels] = (await catalogue()) as object[][]
    assert.deepEqual([prices, items], stored.slice(0, 2))
    const emptied = levels?.filter((level) => 'on_hand' in level && level.on_hand !== '0')
    assert.deepEqual(
      emptied,
      stored[2]?.filter((level) => 'on_hand' in level && level.on_hand !== '0'),
    )
    assert.deepEqual(await operators.ok('GET', `/operator/v1/imports/${data.import_id}/changes/`), [])
    assert.equal((await send(path, ...rows)).body.data.import_state, 'done', 'The key is free again.')
    await act((await operators.ok('GET', '/operator/v1/imports/?limit=1'))[0].import_id, 'undo')
    await service.checkInvariants()
  })
}

test('a dry run in mode all with a bad row is refused, and leaves its key free', async () => {
  const bad = { price_list_id: 1, item_id: 4711, price: 1 }
  const good = { price_list_id: 1, item_id: 1, price: 1 }
  const refused = await send('prices?dry_run=true&import_key=dry', good, bad)
  assert.deepEqual(
    refused.body.errors.map(({ code }) => code),
    ['import_refused', 'item_not_found'],
  )
  const rows = (await send('prices?dry_run=true&mode=rows', good, bad)).body.data
  assert.deepEqual([rows.import_state, rows.rows_changed, rows.rows_refused], ['done', 1, 1])
  assert.equal((await send('prices?dry_run=true&import_key=dry', good)).body.data.import_key, null)
  const below = await send('stock-levels?dry_run=true', { stock_id: 9, item_id: 1, on_hand: 1 })
  assert.equal(below.body.errors[1]?.code, 'stock_not_found')
})

test('an added item is taken off sale by undoing', async () => {
  const { data } = (await send('items', { ...item, item_id: 801 })).body
  assert.equal((await act(data.import_id, 'undo')).status, 200)
  assert.deepEqual(await service.sql('select on_sale from items where item_id = 801'), [{ on_sale: false }])
})

test('an import is not undone in part: what has changed since is listed, and nothing is restored', async () => {
  const { import_id } = (
    await send('prices', { price_list_id: 2, item_id: 1, price: 91 }, { price_list_id: 2, item_id: 2, price: 92 })
  ).body.data
  await send('prices', { price_list_id: 2, item_id: 2, price: 93 })
  const stored = await catalogue()
  const refused = await act(import_id, 'undo')
  assert.deepEqual(refused.body.errors[0]?.details, {
    import_id,
    changed_since: 1,
    rows: [{ price_list_id: 2, item_id: 2, imported: 92, present: 93 }],
  })
  assert.deepEqual(await catalogue(), stored)

  const items = (await send('items', item)).body.data.import_id as number
  await send('items', { ...item, item_title: 'Changed again' })
  assert.equal((await act(items, 'undo')).body.errors[0]?.code, 'import_changed_since')
})

test('a level is taken back by its difference while orders come and go, but not below what they need', async () => {
  const level = async (): Promise<unknown> =>
    (await service.sql('select on_hand::int, reserved::int from stock_levels where stock_id = 1 and item_id = 3'))[0]
  await send('stock-levels', { stock_id: 1, item_id: 3, on_hand: 5 })
  const { import_id } = (await send('stock-levels', { stock_id: 1, item_id: 3, on_hand: 9 })).body.data
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 3, quantity: 6 })
  await shop.order(cart_id)
  const refused = await act(import_id, 'undo')
  assert.deepEqual(refused.body.errors[0]?.details?.['rows'], [
    { stock_id: 1, item_id: 3, difference: 4, on_hand: 9, reserved: 6 },
  ])
  await service.sql('update stock_levels set on_hand = on_hand - 6, reserved = 0 where stock_id = 1 and item_id = 3')
  await service.sql('update stock_levels set on_hand = on_hand + 2 where stock_id = 1 and item_id = 3')
  assert.equal((await act(import_id, 'undo')).status, 200)
  assert.deepEqual(await level(), { on_hand: 1, reserved: 0 })
})

const many = 6 * batchRows
const manyPrices = Array.from({ length: many }, (_, n) => ({ price_list_id: 3, item_id: 20_000 + n, price: 7 }))

test('a stopped import writes no more rows; what it wrote can be undone, and the list shows its progress', async () => {
  await service.sql(
    `insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
     select 20000 + n, 11, 1, 'ST-' || n, n, 'Stopped' from generate_series(0, $1::int - 1) n`,
    [many],
  )
  await service.sql('insert into prices select 3, item_id, 1 from items where item_id >= 20000')
  const stored = await catalogue()
  const release = await holdRows(
    service.databaseUrl,
    `select 1 from prices where price_list_id = 3 and item_id = ${20_000 + 3 * batchRows} for update`,
  )
  const sent = send('prices?wait=0', ...manyPrices)
  const { import_id } = (await sent).body.data
  // One of the two batches in progress waits, and the other goes on.
  await eventually(async () => (await read(import_id)).rows_changed >= 3 * batchRows)
  const [listed] = await operators.ok('GET', '/operator/v1/imports/?limit=1')
  assert.equal(listed.import_state, 'applying')
  assert(listed.rows_done >= 3 * batchRows && listed.rows_done < many)
  const stopped = act(import_id, 'stop')
  await eventually(
    async () =>
      (await service.sql('select 1 from imports where import_id = $1 and stop_requested', [import_id])).length > 0,
  )
  await release()
  const { data } = (await stopped).body
  assert.equal(data.import_state, 'stopped')
  assert(data.rows_changed >= 4 * batchRows && data.rows_changed <= many)
  const [written] = await service.sql('select count(*)::int from prices where price_list_id = 3 and price = 7')
  assert.equal(written?.['count'], data.rows_changed)
  assert.deepEqual((await act(import_id, 'stop')).body.data, data)
  assert.equal((await act(import_id, 'undo')).status, 200)
  assert.deepEqual(await catalogue(), stored)
})

test('an import that is stopped while it waits or is checked has changed nothing', async () => {
  const stored = await catalogue()
  const [blocking] = await service.sql(
    `insert into imports (import_kind, mode, import_state, actor, request_id) values ('stock-levels', 'all', 'checking', '', '') returning import_id`,
  )
  const { import_id } = (await send('stock-levels?wait=0', { stock_id: 1, item_id: 1, on_hand: 1 })).body.data
  const { data } = (await act(import_id, 'stop')).body
  assert.deepEqual([data.import_state, data.rows_changed], ['stopped', 0])
  await service.sql('delete from imports where import_id = $1', [blocking?.['import_id']])
  assert.deepEqual(await catalogue(), stored)

  const finished = (await send('prices', { price_list_id: 1, item_id: 1, price: 3 })).body.data
  assert.equal((await act(finished.import_id, 'stop')).body.errors[0]?.code, 'import_finished')
})

test('levels that the check has lowered are raised again when the import is stopped before they are written', async () => {
  const stored = await catalogue()
  await service.sql(
    `with made as (
       insert into imports (import_kind, mode, import_state, stop_requested, rows, actor, request_id, updated_at)
       values ('stock-levels', 'all', 'applying', true, 2, '', '', now() - interval '1 hour') returning import_id
     ), lowered as (
       update stock_levels set on_hand = on_hand - 3, counts = counts + 1 where stock_id = 3 and item_id = 1 returning counts
     )
     insert into import_batches (import_id, batch, columns, rows, done_in, rows_changed, differences, counts)
     select import_id, 0, '{"stock_ids":"{3}","item_ids":"{1}","on_hands":"{17}"}'::json, 1, 'checking', 1, '{-3}',
       array[counts] from made, lowered`,
  )
  await finishImports(service.db, { kept_days: 90, stopping: () => false })
  const [stopped] = await operators.ok('GET', '/operator/v1/imports/?limit=1')
  assert.deepEqual([stopped.import_state, stopped.rows_changed], ['stopped', 0])
  assert.deepEqual(await catalogue(), stored)
})

test('what was imported more than a week ago cannot be undone, and its record is deleted', async () => {
  const { import_id } = (await send('prices', { price_list_id: 2, item_id: 6, price: 66 })).body.data
  await service.sql("update imports set finished_at = finished_at - interval '8 days' where import_id = $1", [
    import_id,
  ])
  await service.sql("update import_changes set created_at = created_at - interval '8 days' where import_id = $1", [
    import_id,
  ])
  assert.equal((await act(import_id, 'undo')).body.errors[0]?.code, 'import_not_undoable')
  assert.equal((await read(import_id)).undoable, false)
  await finishImports(service.db, { kept_days: 90, stopping: () => false })
  assert.deepEqual(await service.sql('select 1 from import_changes where import_id = $1', [import_id]), [])
})

test('an import and its errors are deleted 90 days after its end, however many they are; newer ones stay', async () => {
  const old = (await send('prices', { price_list_id: 2, item_id: 999_999, price: 6 })).body.errors[0]
  const { import_id } = (await send('prices', { price_list_id: 2, item_id: 6, price: 67 })).body.data
  const ended = old?.details?.['import_id']
  await service.sql(
    `with aged as (
       update imports set finished_at = now() - interval '91 days' where import_id = $1 returning import_id
     )
     insert into import_errors (import_id, line, code, details)
     select import_id, n, 'item_not_found', '{}' from aged, generate_series(10, 12009) n`,
    [ended],
  )
  const left = async (): Promise<unknown[]> => {
    const [row] = await service.sql(
      `select (select count(*) from imports where import_id = $1)::integer as imports,
         (select count(*) from import_errors where import_id = $1)::integer as errors`,
      [ended],
    )
    return [row?.['imports'], row?.['errors']]
  }
  for (const kept_days of [null, 92]) await finishImports(service.db, { kept_days, stopping: () => false })
  assert.deepEqual(await left(), [1, 12_001])
  await finishImports(service.db, { kept_days: 90, stopping: () => false })
  assert.deepEqual(await left(), [1, 2_001])
  await finishImports(service.db, { kept_days: 90, stopping: () => false })
  assert.deepEqual(await left(), [0, 0])
  assert.equal((await read(import_id)).import_state, 'done')
})
