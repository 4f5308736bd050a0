/** A copy of the items that is kept by reading the changes equals the items, whatever happens meanwhile. */
import assert from 'node:assert/strict'
import { readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { publishItemChanges } from './publish-item-changes.ts'
import type { ItemChanges } from './list-item-changes.ts'
import type { OfferedItem } from '../list-items.ts'
import { functionsDir } from '../../functions/function-files.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  await publish()
})
after(() => service.close())

const publish = async (): Promise<number> =>
  (await Array.fromAsync(publishItemChanges(service.db))).reduce((sum, rows) => sum + rows, 0)

async function changes(query: Record<string, string | undefined> = {}, { key } = me): Promise<ItemChanges> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const answer = await service.request('GET', `/api/v1/items/changes/?${new URLSearchParams(given).toString()}`, {
    key,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data as ItemChanges
}

async function offered({ key } = me): Promise<Map<number, OfferedItem>> {
  const answer = await service.request('GET', '/api/v1/items/?limit=500', { key })
  return new Map((answer.body.data as OfferedItem[]).map((item) => [item.item_id, item]))
}

/** What a shop stores: it applies each page as the guide says. */
class Copy {
  items = new Map<number, OfferedItem>()
  after: string | undefined
  pages = 0

  async readPage(limit = 2): Promise<boolean> {
    const { items, gone, replaces, after: next, more } = await changes({ after: this.after, limit: String(limit) })
    if (replaces !== null)
      for (const id of this.items.keys())
        if (id >= replaces.first_item_id && id <= (replaces.last_item_id ?? Infinity)) this.items.delete(id)
    for (const id of gone) this.items.delete(id)
    for (const item of items) this.items.set(item.item_id, item)
    this.after = next
    this.pages++
    return more
  }

  async readAll(): Promise<this> {
    while (await this.readPage());
    return this
  }
}

const copyOf = async (copy: Copy): Promise<[number, OfferedItem][]> =>
  [...(await copy.readAll()).items].toSorted(([a], [b]) => a - b)

const setPrice = async (item_id: number, price: number): Promise<void> => {
  const answer = await service.request('PUT', `/operator/v1/price-lists/1/prices/${item_id}/`, {
    key: operators.keys.cataloguer,
    json: { price, confirmed: true },
  })
  assert.equal(answer.status, 200, answer.text)
}

test('the first pass has all items in pages, and each change of data, price and availability comes once', async () => {
  const copy = await new Copy().readAll()
  assert.deepEqual([...copy.items], [...(await offered())])
  assert.equal(copy.pages, 3) // Of two items, and an empty one.
  assert.deepEqual(await changes({ after: copy.after }), {
    items: [],
    gone: [],
    replaces: null,
    after: copy.after,
    more: false,
  })

  await setPrice(1, 777)
  assert.deepEqual((await changes({ after: copy.after })).items, [], 'Changes are numbered by the worker.')
  assert.equal(await publish(), 1)
  const page = await changes({ after: copy.after })
  assert.deepEqual(
    page.items.map(({ item_id, price }) => [item_id, price]),
    [[1, 777]],
  )
  assert.deepEqual(await changes({ after: page.after }), { ...page, items: [] })

  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  await shop.order(cart_id)
  assert(await publish())
  const ordered = await changes({ after: page.after })
  assert.deepEqual(ordered.items, [(await offered()).get(2)])
  assert.deepEqual(await copyOf(copy), [...(await offered())])
})

test('an item that is taken off sale or loses its price is gone, and comes back', async () => {
  const copy = await new Copy().readAll()
  for (const [off, on] of [
    ['update items set on_sale = false where item_id = 2', 'update items set on_sale = true where item_id = 2'],
    [
      'delete from prices where price_list_id = 1 and item_id = 2',
      'insert into prices (price_list_id, item_id, price) values (1, 2, 5)',
    ],
  ] as const) {
    await service.sql(off)
    await publish()
    const page = await changes({ after: copy.after })
    assert.deepEqual([page.items, page.gone], [[], [2]])
    assert.deepEqual(await copyOf(copy), [...(await offered())])
    assert(!copy.items.has(2))
    await service.sql(on)
    await publish()
    assert.deepEqual(await copyOf(copy), [...(await offered())])
    assert(copy.items.has(2))
  }
})

test('what changes during the first pass is read after it', async () => {
  const copy = new Copy()
  await copy.readPage()
  await service.sql('update items set on_sale = false where item_id = 1')
  await setPrice(2, 888)
  await publish()
  assert.deepEqual(await copyOf(copy), [...(await offered())])
  await service.sql('update items set on_sale = true where item_id = 1')
  await publish()
  assert.deepEqual(await copyOf(copy), [...(await offered())])
})

test('a full pass begins again when discount, price list or stocks change, with `include`, and after a restore', async () => {
  const other = await addClient(service)
  const begins = async (change: () => Promise<unknown>, query: Record<string, string> = {}): Promise<void> => {
    let { after: position, more } = await changes({ limit: '500' }, other)
    while (more) ({ after: position, more } = await changes({ after: position, limit: '500' }, other))
    await change()
    const page = await changes({ after: position, limit: '500', ...query }, other)
    assert.deepEqual(page.replaces, { first_item_id: 1, last_item_id: null })
    assert.deepEqual(
      page.items.map(({ item_id }) => item_id),
      [...(await offered(other)).keys()],
    )
  }
  const { client_id } = other
  await begins(async () => service.sql('update contracts set discount_percent = 7 where client_id = $1', [client_id]))
  await begins(async () => service.sql('delete from client_stocks where client_id = $1 and stock_id = 2', [client_id]))
  await begins(async () => undefined, { include: 'net' })
  await begins(async () => service.sql('update item_feed set generation = generation + 1'))
  await begins(async () => service.sql('update item_feed set position = 0')) // Of a backup, without after-restore.
})

test('a position that was not given by an answer is refused, and an unknown contract', async () => {
  for (const position of ['x', 'MC5iYjA2ZjQ4YTE0ZjAuMTIuMC4y', `${(await changes()).after}A`]) {
    const answer = await service.request('GET', `/api/v1/items/changes/?after=${position}`, { key: me.key })
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.code], [400, 'field_invalid'], answer.text)
  }
  const answer = await service.request('GET', '/api/v1/items/changes/?contract_id=999', { key: me.key })
  assert.equal(answer.body.errors?.[0]?.code, 'contract_not_found')
})

test('as a price and stock file, compressed if asked for, and not again while nothing has changed', async () => {
  const get = (headers: Record<string, string> = {}) =>
    service.request('GET', '/api/v1/items/?include=net', { key: me.key, headers: { accept: 'text/csv', ...headers } })
  await publish()
  const { status, headers, text } = await get()
  assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8; header=present'])
  const items = await offered()
  const [names, first, ...rest] = text.split('\r\n')
  assert.equal(
    names,
    'item_id,brand_name,item_vendor_code,item_barcode,item_title,price,net_price,currency_code,tax_mode,available,back_order,available_by_stock',
  )
  const { brand, price, availability, ...one } = items.get(1) ?? assert.fail()
  const sum = availability.reduce((all, { available }) => all + available, 0)
  assert.equal(
    first,
    `1,${brand.brand_name},${one.item_vendor_code},${one.item_barcode},${one.item_title},${price},${price},EUR,${one.tax_mode},${sum},false,${availability.map(({ stock_id, available }) => `${stock_id}:${available}`).join(' ')}`,
  )
  assert.equal(rest.length, items.size) // The last line ends with a line break.

  const zipped = await get({ 'accept-encoding': 'gzip' })
  assert.equal(zipped.headers['content-encoding'], 'gzip')
  const tag = String(headers.etag)
  const same = await get({ 'if-none-match': tag })
  assert.deepEqual([same.status, same.text, same.headers['content-type']], [304, '', undefined])
  await setPrice(1, 321)
  await publish()
  const changed = await get({ 'if-none-match': tag })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, tag)
})

test('two workers at once give each change one position, and orders go on meanwhile', async () => {
  const copy = await new Copy().readAll()
  const shop = shopper(service, me)
  await service.sql('update stock_levels set on_hand = on_hand + 1000 where item_id = 2 and stock_id = 1')
  const orders = new AbortController()
  const order = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 2, quantity: 1 })
      await shop.order(cart_id)
      await setPrice(1, 100 + n)
    }
    orders.abort()
  }
  const worker = async (): Promise<void> => {
    while (!orders.signal.aborted) await publish()
  }
  const reader = async (): Promise<void> => {
    while (!orders.signal.aborted) await copy.readPage(1)
  }
  await Promise.all([order(), worker(), worker(), reader()])
  await publish()
  assert.deepEqual(await copyOf(copy), [...(await offered())])
  assert.deepEqual(await service.sql('select from changed_goods'), [])
})

test('events that have expired unread begin a new generation', async () => {
  const { after: position } = await changes({ limit: '500' })
  await service.sql('insert into event_feed (expired_transaction, expired_client, expired_number) values ($1, 1, 1)', [
    '9000000000000000000',
  ])
  await publish()
  assert.notEqual((await changes({ after: position, limit: '500' })).replaces, null)
  await service.sql('delete from event_feed')
  await service.sql('update item_feed set event_transaction = event_position(pg_current_xact_id())')
})

test('what sets the pieces in stock notes it in changed_goods, unless an event of an order says it', () => {
  const byOrders = ['orders/order_goods.sql', 'orders/shipping/close_open.sql']
  const writers = globSync('**/*.sql', { cwd: functionsDir }).filter((path) =>
    /update stock_levels\b(?:(?!\bwhere\b)[\s\S])*\b(on_hand|back_order) =|insert into stock_levels/.test(
      readFileSync(join(functionsDir, path), 'utf8'),
    ),
  )
  assert(writers.length > 5)
  for (const path of writers)
    assert(
      byOrders.includes(path) ||
        path.startsWith('demo/') ||
        readFileSync(join(functionsDir, path), 'utf8').includes('insert into changed_goods'),
      `${path} sets stock levels, and readers of /api/v1/items/changes/ do not learn of it.`,
    )
})
