/** Concurrent requests over HTTP, followed by a check of the invariants over the whole database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { collisions } from '../../testing/metrics.ts'
import { rounds } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
  await service.sql(`
    insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
    select n, 11, 1, 'R-' || n, '2000000000000', 'Part ' || n from generate_series(101, 140) n;
    insert into prices select 1, n, n from generate_series(101, 140) n;
    insert into stock_levels (stock_id, item_id, on_hand) select 1, n, 1000000 from generate_series(101, 140) n;
  `)
})
after(() => service.close())

const place = (key: string, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key, form: { cart_group_key, ...address } })

const codesOf = (answers: Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const code = status === 200 ? 'ok' : (body.errors[0]?.code ?? String(status))
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

const count = async (sql: string, values: unknown[] = []): Promise<number> =>
  Number((await service.sql(`select (${sql}) as n`, values))[0]?.['n'])

test('64 concurrent orders with one key: one order, 64 identical responses', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  for (let round = 0; round < 10; round++) {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 101, quantity: 2 })
    await shop.add(cart_id, { item_id: 102, quantity: 1 })
    const key = await shop.groupKey(cart_id)
    const answers = await Promise.all(Array.from({ length: 64 }, () => place(me.key, key)))
    assert.deepEqual(codesOf(answers), { ok: 64 })
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal(await count('select count(*) from orders where client_id = $1', [me.client_id]), round + 1)
  }
  await service.checkInvariants()
})

test("64 clients race for the last unit: one order, 63 out_of_stock, and the losers' carts are unchanged", async () => {
  await service.sql(`update stock_levels set on_hand = 1 where stock_id = 1 and item_id = 3`)
  const racers = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const me = await addClient(service)
      const shop = shopper(service, me)
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 3, quantity: 1 })
      return { me, shop, cart_id, key: await shop.groupKey(cart_id) }
    }),
  )
  const answers = await Promise.all(racers.map(({ me, key }) => place(me.key, key)))
  assert.deepEqual(codesOf(answers), { ok: 1, out_of_stock: 63 })
  for (const [i, { body, status }] of answers.entries()) {
    const racer = racers[i]
    assert(racer)
    if (status === 200) {
      assert.deepEqual(await racer.shop.ok('GET', `/api/v1/carts/${racer.cart_id}/items/`), [])
    } else {
      assert.deepEqual(body.errors[0]?.details, { item_id: 3, stock_id: 1, available: 0, requested: 1 })
      assert.equal(await racer.shop.groupKey(racer.cart_id), racer.key)
    }
  }
  assert.deepEqual(await service.sql('select on_hand, reserved from stock_levels where stock_id = 1 and item_id = 3'), [
    { on_hand: '1', reserved: '1' },
  ])
  await service.checkInvariants()
})

test("two orders race for a contract's remaining limit: one succeeds, the other is refused with the figures", async () => {
  for (let round = 0; round < 20; round++) {
    const me = await addClient(service)
    const shop = shopper(service, me)
    const keys = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const cart_id = await shop.createCart(name)
        // 6 × 101 less 5% plus 10% is 633.27: the limit of 1000 has room for one.
        await shop.add(cart_id, { item_id: 101, quantity: 6, contract_id: me.limited_contract_id })
        return shop.groupKey(cart_id)
      }),
    )
    const answers = await Promise.all(keys.map((key) => place(me.key, key)))
    assert.deepEqual(codesOf(answers), { ok: 1, contract_limit_exceeded: 1 })
    const refused = answers.find(({ status }) => status === 409)
    assert.deepEqual(refused?.body.errors[0]?.details, {
      contract_id: me.limited_contract_id,
      limit: 1000,
      used: 633.27,
      requested: 633.27,
    })
  }
  await service.checkInvariants()
})

test('adding to a group races ordering it: one of the two serial outcomes, nothing lost, nothing ordered unseen', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const outcomes = { orderedFirst: 0, addedFirst: 0 }
  for (let round = 0; round < 100; round++) {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 101, quantity: 1 })
    const key = await shop.groupKey(cart_id)
    const adding = () =>
      service.request('PUT', `/api/v1/carts/${cart_id}/items/`, {
        key: me.key,
        form: { item_id: 101, stock_id: 1, quantity: 5 },
      })
    const [placed, added] =
      round % 2 === 0
        ? await Promise.all([place(me.key, key), adding()])
        : await Promise.all([adding(), place(me.key, key)]).then(([b, a]) => [a, b] as const)
    assert.equal(added.status, 200, added.text)
    const groups = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
    const left = groups[0].cart_items[0].quantity
    if (placed.status === 200) {
      outcomes.orderedFirst++
      const lines = await shop.ok('GET', `/api/v1/orders/${placed.body.data.created_order_id}/items/`)
      assert.deepEqual([lines.length, lines[0].order_item_quantity, left, added.body.data.quantity], [1, 1, 5, 5])
    } else {
      outcomes.addedFirst++
      assert.deepEqual([placed.body.errors[0]?.code, left, added.body.data.quantity], ['cart_group_changed', 6, 6])
      assert.equal(placed.body.errors[0]?.details?.['cart_group_key'], groups[0].cart_group_key)
    }
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  }
  assert(outcomes.orderedFirst > 0 && outcomes.addedFirst > 0, JSON.stringify(outcomes))
  await service.checkInvariants()
})

test('changing, removing and ordering lines of one group concurrently: counts and contents stay consistent', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  for (let round = 0; round < 25; round++) {
    const cart_id = await shop.createCart()
    const lines = await Promise.all(
      Array.from({ length: 8 }, (_, i) => shop.add(cart_id, { item_id: 101 + i, quantity: 1 })),
    )
    const key = await shop.groupKey(cart_id)
    const path = (line: number | undefined): string => `/api/v1/carts/${cart_id}/items/${line}/`
    const answers = await Promise.all([
      ...lines.map((line) => service.request('DELETE', path(line), { key: me.key })),
      ...lines.map((line) => service.request('DELETE', path(line), { key: me.key })),
      service.request('PATCH', path(lines[3]), { key: me.key, form: { quantity: 9 } }),
      place(me.key, key),
      service.request('PUT', `/api/v1/carts/${cart_id}/items/`, {
        key: me.key,
        form: { item_id: 120, stock_id: 1, quantity: 1 },
      }),
      ...(round % 5 === 0 ? [service.request('DELETE', `/api/v1/carts/${cart_id}/`, { key: me.key })] : []),
    ])
    const known = ['ok', 'cart_item_not_found', 'cart_group_changed', 'cart_group_not_found', 'cart_not_found']
    assert.deepEqual(
      Object.keys(codesOf(answers)).filter((code) => !known.includes(code)),
      [],
    )
    if (round % 5 !== 0) await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
  }
  await service.checkInvariants()
})

test('32 concurrent adds to a cart with room for 5 lines: 5 succeed, 27 get cart_full', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await service.sql(
    `with items as (insert into items (product_id, brand_id, item_vendor_code, item_barcode, item_title)
       select 11, 1, 'X', 'X', 'X' from generate_series(1, 995) returning item_id),
     made as (insert into cart_groups (client_id, cart_id, stock_id, contract_id, advertising) values ($1, $2, 2, $3, '') returning cart_group_id),
     lines as (insert into cart_items (client_id, cart_group_id, item_id, quantity, last_price)
       select $1, cart_group_id, item_id, 1, 1 from made, items)
     update carts set line_count = 995 where cart_id = $2`,
    [me.client_id, cart_id, me.contract_id],
  )
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, i) =>
      service.request('PUT', `/api/v1/carts/${cart_id}/items/`, {
        key: me.key,
        form: { item_id: 101 + i, stock_id: 1, quantity: 1 },
      }),
    ),
  )
  assert.deepEqual(codesOf(answers), { ok: 5, cart_full: 27 })
  await service.checkInvariants()
})

test('cancel, reschedule and adjust race: history and state agree', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const today = Temporal.Now.plainDateISO('UTC')
  for (let round = 0; round < 40; round++) {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 101, quantity: 3 })
    await shop.add(cart_id, { item_id: 102, quantity: 3 })
    const order_id = await shop.order(cart_id)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    const lines = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    const path = `/api/v1/orders/${order_id}/`
    const adjust = (line: number, quantity: number) =>
      service.request('PATCH', `${path}items/${lines[line].order_item_id}/`, { key: me.key, form: { quantity } })
    const reschedule = (days: number) =>
      service.request('PATCH', path, { key: me.key, form: { shipping_date: today.add({ days }).toString() } })
    const answers = await Promise.all([
      reschedule(3), adjust(0, 1), adjust(0, 2), reschedule(4), adjust(1, 0),
      service.request('DELETE', path, { key: me.key }),
      adjust(0, 1), service.request('DELETE', path, { key: me.key }), reschedule(3),
    ]) // prettier-ignore
    const known = ['ok', 'order_not_adjustable', 'order_not_reschedulable']
    assert.deepEqual(
      Object.keys(codesOf(answers)).filter((code) => !known.includes(code)),
      [],
    )
    const order = await shop.ok('GET', path)
    assert.equal(order.order_state_id, 'zayavka-na-otmen')
    assert.equal(order.order_history[0].state_id, 'zayavka-na-otmen')
    assert.equal(order.order_history.at(-1).state_id, 'new')
    const adjustments = await shop.ok('GET', `${path}adjustments/`)
    for (const { adjustment_status, adjustment_canceled_message } of adjustments) {
      assert.equal(adjustment_status, 'CANCELED')
      assert.match(
        adjustment_canceled_message,
        /^(Superseded by adjustment \d+|The cancellation of the order was requested)\.$/,
      )
    }
    const latest = order.order_history.find(({ group }: { group: string }) => group === 'Change of shipping date')
    assert.equal(order.order_shipping_datetime?.slice(0, 10), latest?.text)
  }
  await service.checkInvariants()
})

test('24 buyers order overlapping carts with shuffled lines: no deadlock occurs', async () => {
  const before = await collisions()
  const clients = await Promise.all(Array.from({ length: 12 }, () => addClient(service)))
  const orders = rounds(300) // For each buyer: 7,200 in all, about a minute and a half on two cores.
  const totals: Record<string, number> = {}
  await Promise.all(clients.flatMap((me) => [buyShuffled(me, orders, totals), buyShuffled(me, orders, totals)]))
  assert.deepEqual(totals, { ok: 24 * orders })
  const stored = await count('select count(*) from orders where client_id = any($1)', [
    clients.map(({ client_id }) => client_id),
  ])
  assert.equal(stored, totals['ok'], 'Every acknowledged order is stored, and no other.')
  assert.equal(await collisions(), before)
  await service.checkInvariants()
})

test('256 concurrent reschedulings of one order: all are settled, none gets busy', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 101, quantity: 3 })
  const order_id = await shop.order(cart_id)
  const today = Temporal.Now.plainDateISO('UTC')
  const answers = await Promise.all(
    Array.from({ length: 256 }, (_, i) =>
      service.request('PATCH', `/api/v1/orders/${order_id}/`, {
        key: me.key,
        form: { shipping_date: today.add({ days: i % 80 }).toString() },
      }),
    ),
  )
  const { ok = 0, order_history_full = 0 } = codesOf(answers)
  assert.equal(ok + order_history_full, 256, JSON.stringify(codesOf(answers)))
  await service.checkInvariants()
})

async function buyShuffled(me: TestClient, orders: number, totals: Record<string, number>): Promise<void> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  for (let order = 0; order < orders; order++) {
    const items = Array.from({ length: 40 }, (_, i) => 101 + i)
      .toSorted(() => Math.random() - 0.5)
      .slice(0, 10)
    await Promise.all(items.map((item_id) => shop.add(cart_id, { item_id, quantity: 1 })))
    const answer = await place(me.key, await shop.groupKey(cart_id))
    const code = answer.status === 200 ? 'ok' : answer.text
    totals[code] = (totals[code] ?? 0) + 1
  }
}
