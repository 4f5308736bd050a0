/** Files of expected arrivals and of what replaces items: read as a merchandise system writes them, by good and bad rows. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const send = (path: string, body: string): Promise<Answer> =>
  service.request('POST', `/operator/v1/imports/${path}`, {
    key: operators.keys.cataloguer,
    body,
    headers: { 'content-type': 'text/csv' },
  })
const figures = ({ body: { data } }: Answer): unknown[] =>
  ['rows_added', 'rows_changed', 'rows_unchanged', 'rows_refused'].map((name) => data[name])
const arrivals = async (stock: number, item: number): Promise<unknown> =>
  (await operators.ok('GET', `/operator/v1/stock-levels/${stock}/${item}/arrivals/`)).arrivals
const refusals = async (answer: Answer): Promise<string[]> =>
  (await operators.ok('GET', `/operator/v1/imports/${answer.body.data.import_id}/errors/`)).map(
    ({ line, code, message }: Record<string, string>) => `${line} ${code}: ${message}`,
  )

test('a file of arrivals replaces what its levels expect, by article, and says which rows are wrong', async () => {
  await operators.ok('PUT', '/operator/v1/stock-levels/1/4/arrivals/', {
    arrivals: [{ date: '2031-11-20', quantity: 7 }],
  })
  const before = await service.sql('select count(*)::int as n from catalogue_changes')
  const file = [
    'stock_id;article;arrivals',
    '1;bn 280 v;2031-12-01:40 2031-11-24:200',
    '1;FW-2;none',
    '1;FW-2/10;none',
    '1;NONE;none',
    '9;FW-2;2031-11-24:1',
    '1;ЖK-7;2031-11-24',
  ].join('\r\n')
  const answer = await send('arrivals/?mode=rows', file)
  assert.deepEqual(figures(answer), [1, 1, 1, 3], answer.text)
  assert.deepEqual(await arrivals(1, 1), [
    { date: '2031-11-24', quantity: 200 },
    { date: '2031-12-01', quantity: 40 },
  ])
  assert.deepEqual(await arrivals(1, 4), [])
  assert.deepEqual(await refusals(answer), [
    "5 article_not_found: No item has the article 'NONE'.",
    '6 stock_not_found: No such stock: 9.',
    "7 field_invalid: Invalid value '2031-11-24' for 'arrivals': it must be a list of at most 30 arrivals on distinct days, each {\"date\", \"quantity\"} with quantities from 1 to 1000000000; in CSV such as '2026-11-24:200 2026-12-01:40', or 'none'.",
  ])
  const again = await send('arrivals/', 'stock_id,item_id,arrivals\n1,1,2031-11-24:200 2031-12-01:40\n')
  assert.deepEqual(figures(again), [0, 0, 1, 0])
  // One entry for each import, and none for its rows: what it changed is listed with it.
  const after_ = await service.sql('select count(*)::int as n from catalogue_changes')
  assert.equal(Number(after_[0]?.['n']) - Number(before[0]?.['n']), 2)
})

test('a file of substitutes replaces those of its items, and an item never replaces itself', async () => {
  const file = ['article,replaced_by,substitutes', 'FW-2,4,1 3', 'BN-280-V,,2', 'FW-2/10,4,', 'ЖK-7,99,'].join('\n')
  const answer = await send('substitutes/?mode=rows', file)
  assert.deepEqual(figures(answer), [2, 0, 0, 2], answer.text)
  const stored = await service.sql(
    'select item_id::int, array_agg(substitute_id::int order by place) as ids, min(place) as first from item_substitutes group by 1 order by 1',
  )
  assert.deepEqual(stored, [
    { item_id: 1, ids: [2], first: 1 },
    { item_id: 2, ids: [4, 1, 3], first: 0 },
  ])
  assert.deepEqual(await refusals(answer), [
    "4 field_invalid: Invalid value '4' for 'replaced_by': it must be another item than the one it is for.",
    '5 item_not_found: No such item: 99.',
  ])
  const all = await send('substitutes/', 'item_id,substitutes\n1,3\n2,99\n')
  assert.equal(all.body.errors[0]?.code, 'import_refused')
  assert.deepEqual(await service.sql('select substitute_id::int as id from item_substitutes where item_id = 1'), [
    { id: 2 },
  ])
})

test('what was changed since is not undone', async () => {
  const { import_id } = (await send('arrivals/', 'stock_id,item_id,arrivals\n2,1,2031-11-24:200\n2,2,2031-11-24:5\n'))
    .body.data
  await operators.ok('PUT', '/operator/v1/stock-levels/2/1/arrivals/', { arrivals: [] })
  const undo = await service.request('POST', `/operator/v1/imports/${import_id}/undo/`, {
    key: operators.keys.cataloguer,
  })
  const { code, details } = undo.body.errors[0] ?? assert.fail()
  assert.deepEqual(
    [code, details?.['rows']],
    [
      'import_changed_since',
      [{ stock_id: 2, item_id: 1, imported: [{ date: '2031-11-24', quantity: 200 }], present: [] }],
    ],
  )
  assert.deepEqual(await arrivals(2, 2), [{ date: '2031-11-24', quantity: 5 }])
})
