import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { long, rounds } from '../testing/racing.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addClient, address, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators
let client: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  client = await addClient(service)
})
after(() => service.close())

/** How long the last import took. */
let importMs = 12

async function send(path: string, rows: readonly object[]): Promise<Answer> {
  const sentAt = performance.now()
  const answer = await service.request('POST', `/operator/v1/imports/${path}`, {
    key: operators.keys.cataloguer,
    body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  importMs = performance.now() - sentAt
  return answer
}

const onHand = async (stock_id: number, ...item_ids: number[]): Promise<number[]> =>
  (
    await service.sql('select on_hand from stock_levels where stock_id = $1 and item_id = any($2) order by item_id', [
      stock_id,
      item_ids,
    ])
  ).map(({ on_hand }) => Number(on_hand))

/** At a moment within the time that an import takes, and a little after it, on a machine of any speed. */
const soon = <T>(work: () => Promise<T>): Promise<T> => sleep(Math.random() * 1.3 * importMs).then(work)

const levels = (stock_id: number, figures: readonly number[]): object[] =>
  figures.map((on_hand, n) => ({ stock_id, item_id: n + 1, on_hand }))

test('two concurrent imports of the same stock levels: all levels are those of one of them', async () => {
  const last = [0, 0]
  for (let round = 0; round < rounds(1_000); round++) {
    const figures = [0, 1].map(() => [1, 2, 3].map(() => Math.floor(Math.random() * 1_000)))
    const answers = await Promise.all(figures.map((of) => soon(() => send('stock-levels', levels(3, of)))))
    for (const answer of answers) assert.equal(answer.body.data?.import_state, 'done', answer.text)
    const found = await onHand(3, 1, 2, 3)
    const winner = figures.findIndex((of) => String(of) === String(found))
    assert(winner >= 0, JSON.stringify({ found, figures }))
    last[winner] = (last[winner] ?? 0) + 1
  }
  if (long) assert(Math.min(...last) > 0, `One of the two always came last: ${last.join(', ')}`)
  await service.checkInvariants()
})

test('two concurrent imports of the same prices: all prices are those of one of them', async () => {
  const last = [0, 0]
  for (let round = 0; round < rounds(200); round++) {
    const prices = [0, 1].map(() => [1, 2, 3].map(() => Math.floor(Math.random() * 100_000) / 100))
    await Promise.all(
      prices.map((of) =>
        soon(() =>
          send(
            'prices',
            of.map((price, n) => ({ price_list_id: 2, item_id: n + 1, price })),
          ),
        ),
      ),
    )
    const found = await service.sql(
      'select price::float as price from prices where price_list_id = 2 and item_id < 4 order by item_id',
    )
    const winner = prices.findIndex((of) => String(of) === String(found.map(({ price }) => price)))
    assert(winner >= 0, JSON.stringify({ found, prices }))
    last[winner] = (last[winner] ?? 0) + 1
  }
  if (long) assert(Math.min(...last) > 0, `One of the two always came last: ${last.join(', ')}`)
})

/** A cart with as many of the item from Hamburg, ready to be ordered. */
async function readyCart(quantity: number): Promise<() => Promise<Answer>> {
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity, stock_id: 2 })
  const cart_group_key = await shop.groupKey(cart_id)
  return async () => {
    const answer = await service.request('PUT', '/api/v1/orders/', {
      key: client.key,
      form: { cart_group_key, ...address },
    })
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return answer
  }
}

test('an import that lowers stock races an order that takes it: one wins, and a refused import changes nothing', async () => {
  const won = { order: 0, import: 0 }
  for (let round = 0; round < rounds(1_000); round++) {
    const start = [4, 50, 7]
    await service.sql(
      'update stock_levels set on_hand = case item_id when 1 then 4 + reserved else 50 end where stock_id = 2',
    )
    await service.sql('update stock_levels set on_hand = 7 where stock_id = 3 and item_id = 1')
    const [held] = await service.sql('select reserved::int from stock_levels where stock_id = 2 and item_id = 1')
    const reserved = Number(held?.['reserved'])
    const order = await readyCart(3)
    const rows = [
      { stock_id: 2, item_id: 1, on_hand: reserved + 2 },
      { stock_id: 2, item_id: 2, on_hand: 10 },
      { stock_id: 3, item_id: 1, on_hand: 99 },
    ]
    // The other levels are lowered before, or raised after, the one that both want.
    if (round % 2 === 0) rows.reverse()
    const [ordered, imported] = await Promise.all([soon(order), send('stock-levels', rows)])
    const now = [...(await onHand(2, 1, 2)), ...(await onHand(3, 1))]
    const [after] = await service.sql('select reserved::int from stock_levels where stock_id = 2 and item_id = 1')
    if (ordered.status === 200) {
      assert.equal(imported.status, 409, imported.text)
      assert.deepEqual([now, after?.['reserved']], [[reserved + start[0]!, start[1], start[2]], reserved + 3])
      won.order++
    } else {
      assert.equal(ordered.body.errors[0]?.code, 'out_of_stock', ordered.text)
      assert.equal(imported.body.data?.import_state, 'done', imported.text)
      assert.deepEqual([now, after?.['reserved']], [[reserved + 2, 10, 99], reserved])
      won.import++
    }
  }
  if (long) assert(Math.min(won.order, won.import) > 0, JSON.stringify(won))
  await service.checkInvariants()
})

test('a level counted by hand during an import keeps that count, and the import sets the others', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < rounds(200); round++) {
    await send('stock-levels', levels(3, [20, 20, 20]))
    const [import_, hand] = await Promise.all([
      send('stock-levels', levels(3, [30, 10, 40])),
      soon(() =>
        service.request('PUT', '/operator/v1/stock-levels/3/1/', {
          key: operators.keys.cataloguer,
          json: { on_hand: 77 },
        }),
      ),
    ])
    assert.deepEqual([import_.body.data?.import_state, hand.status], ['done', 200], import_.text + hand.text)
    const [first, ...others] = await onHand(3, 1, 2, 3)
    assert.deepEqual(others, [10, 40])
    assert(first === 77 || first === 30, String(first))
    outcomes.add(String(first))
  }
  if (long) assert.deepEqual([...outcomes].toSorted(), ['30', '77'])
})

test('two concurrent changes of an item: it is found by the words of the title it ends up with', async () => {
  const titles = ['alpha', 'beta', 'alpha gamma', 'beta gamma', 'gamma']
  const body = { item_vendor_code: 'RX-9', item_barcode: '2000000000099', brand_name: 'Filterwerk', product_id: 12 }
  for (let round = 0; round < rounds(200); round++) {
    const items = [0, 1].map(() => ({ ...body, item_title: titles[Math.floor(Math.random() * titles.length)] }))
    const [one, other] = await Promise.all([
      service.request('PUT', '/operator/v1/items/9000/', { key: operators.keys.cataloguer, json: items[0] }),
      send('items', [{ item_id: 9000, ...items[1] }]),
    ])
    assert.deepEqual([one.status, other.body.data?.import_state], [200, 'done'], one.text + other.text)
    const [found] = await service.sql(
      `select item_title, array(select word from item_words w where w.item_id = i.item_id order by word) as words from items i where item_id = 9000`,
    )
    const { item_title, words } = found as { item_title: string; words: string[] }
    assert.deepEqual(
      words.join(' '),
      [...item_title.split(' '), '2000000000099', '9', 'rx', 'rx-9'].toSorted().join(' '),
    )
  }
})

test('a level counted while differences are imported keeps its count, also when they are refused', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < rounds(200); round++) {
    await send('stock-levels', levels(3, [50, 50, 50]))
    const refused = round % 2 === 0
    const rows = [
      { stock_id: 3, item_id: 1, difference: -3 },
      { stock_id: 3, item_id: 2, difference: refused ? -99 : 5 },
    ]
    const [answer] = await Promise.all([
      send(`stock-levels?import_key=counted-${round}`, rows),
      soon(() =>
        service.request('PUT', '/operator/v1/stock-levels/3/1/', {
          key: operators.keys.cataloguer,
          json: { on_hand: 40 },
        }),
      ),
    ])
    assert.equal(answer.status, refused ? 409 : 200, answer.text)
    const [first, second] = await onHand(3, 1, 2)
    assert.equal(second, refused ? 50 : 55)
    // Before the import, after it, or between its two steps.
    assert((refused ? [40] : [37, 40]).includes(first ?? 0), `${first} in round ${round}`)
    outcomes.add(`${refused} ${first}`)
  }
  if (long) assert(outcomes.has('false 40') && outcomes.has('true 40'))
})
