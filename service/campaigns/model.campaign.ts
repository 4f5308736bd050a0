/**
 * Random sequences of operations by four clients, every answer compared with a model of the API specification.
 * A failure prints its seed and path: MODEL_SEED=… MODEL_PATH=… node --test service/campaigns/model.campaign.ts replays it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { maskVolatile } from '../src/testing/mask-volatile.ts'
import type { ExpectedAnswer } from './model-state.ts'
import { Model } from './model.ts'
import { makeModelWorld } from './model-world.ts'
import { startService, type TestService } from '../src/testing/service.ts'
import { address, addFixtures } from '../src/testing/fixtures.ts'

const sequences = 2_000
const concurrency = 4
const { MODEL_SEED: seed, MODEL_PATH: path } = process.env

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

const pick = fc.noBias(fc.nat({ max: 1_000 }))
// The first client sends most requests, so that its carts become orders.
const base = { who: fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 3), a: pick, b: pick, c: pick }
const kinds = [
  'createCart', 'listCarts', 'renameCart', 'deleteCart', 'listItems', 'listItems', 'addItem', 'addItem', 'addItem', 'changeQuantity',
  'readItem', 'removeItem', 'placeOrder', 'placeOrder', 'placeOrder', 'readOrder', 'listOrders', 'orderItems', 'reschedule', 'cancel',
  'adjust', 'listAdjustments', 'price', 'onSale', 'foreign',
] as const // prettier-ignore
const step = fc.record({ kind: fc.constantFrom(...kinds), ...base })
type Step = { kind: (typeof kinds)[number]; who: number; a: number; b: number; c: number }

const done = new Map<string, number>()

test(
  `${sequences} random sequences by four clients answer as the model of the API does`,
  { timeout: 3_600_000 },
  async () => {
    const playSequences = (number: number) =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 35, size: 'max' }), play),
        path === undefined
          ? {
              numRuns: sequences / concurrency,
              seed: Number(seed ?? Math.floor(Math.random() * 2 ** 31)) + number,
            }
          : { seed: Number(seed), path, numRuns: 1, endOnFailure: true },
      )
    await Promise.all(
      path === undefined ? Array.from({ length: concurrency }, (_, i) => playSequences(i)) : [playSequences(0)],
    )
    await service.checkInvariants()
    process.stdout.write(`${JSON.stringify(Object.fromEntries(done))}\n`)
    if (path === undefined)
      for (const code of mustHappen)
        assert((done.get(code) ?? 0) >= 10, `${code} happened ${done.get(code) ?? 0} times.`)
  },
)

/** Outcomes that must occur, or the random sequences prove nothing. */
const mustHappen = [
  'placeOrder ok', 'placeOrder cart_group_changed', 'placeOrder cart_group_already_ordered', 'placeOrder cart_group_not_found',
  'placeOrder out_of_stock', 'placeOrder contract_limit_exceeded', 'placeOrder item_not_on_sale', 'reschedule ok', 'reschedule shipping_date_refused',
  'cancel ok', 'adjust ok', 'adjust order_not_adjustable', 'adjust quantity_unchanged', 'removeItem ok', 'foreign order_not_found',
] // prettier-ignore

async function play(steps: readonly Step[]): Promise<void> {
  const world = await makeModelWorld(service)
  const model = new Model(world)
  for (const { kind: drawnKind, who, a, b, c } of steps) {
    const account = at(model.accounts, who)
    const kind = b % 8 === 0 ? drawnKind : prerequisiteOf(drawnKind, account)
    const cartId = some(account.carts, a)?.id ?? 404
    const orderId = some(account.orders, a)?.id ?? 404
    const lineId = some(some(some(account.carts, a)?.groups ?? [], b)?.lines ?? [], c)?.id ?? 404
    const cart = `/api/v1/carts/${cartId}/`
    const order = `/api/v1/orders/${orderId}/`
    const send = (method: string, to: string, expected: ExpectedAnswer, form?: Record<string, string | number>) =>
      compare(kind, account.client.key, { method, path: to, ...(form === undefined ? {} : { form }) }, expected)
    switch (kind) {
      case 'createCart':
        if (account.carts.length < 3)
          await send('PUT', '/api/v1/carts/', model.createCart(account, `Cart ${a}`), { name: `Cart ${a}` })
        break
      case 'listCarts':
        await send('GET', '/api/v1/carts/', model.listCarts(account))
        break
      case 'renameCart':
        await send('PATCH', cart, model.renameCart(account, cartId, `Cart ${b}`), { name: `Cart ${b}` })
        break
      case 'deleteCart':
        if (b % 4 === 0) await send('DELETE', cart, model.deleteCart(account, cartId))
        break
      case 'listItems':
        await send('GET', `${cart}items/`, model.listItems(account, cartId))
        break
      case 'addItem': {
        if (account.carts.length === 0) {
          await send('PUT', '/api/v1/carts/', model.createCart(account, 'First'), { name: 'First' })
          break
        }
        const [item_id, stock_id] = [at(world.items, b), at(world.stocks, Number(c % 5 === 0))]
        const contract_id = at(account.client.contracts, Number(a % 3 === 0))
        const advertising = b % 7 === 0 ? 'Spring' : ''
        const quantity = c % 6 === 0 ? 7 : 1 + (c % 4)
        const expected = model.addItem(account, cartId, {
          item: item_id,
          stock: stock_id,
          contract: contract_id,
          advertising,
          quantity,
        })
        await send('PUT', `${cart}items/`, expected, {
          item_id,
          stock_id,
          quantity,
          ...(a % 3 === 0 || b % 2 === 0 ? { contract_id } : {}),
          ...(advertising === '' ? {} : { for_advertising_budget: advertising }),
        })
        break
      }
      case 'changeQuantity':
        await send('PATCH', `${cart}items/${lineId}/`, model.changeQuantity(account, cartId, lineId, 1 + (b % 5)), {
          quantity: 1 + (b % 5),
        })
        break
      case 'readItem':
        await send('GET', `${cart}items/${lineId}/`, model.readItem(account, cartId, lineId))
        break
      case 'removeItem':
        await send('DELETE', `${cart}items/${lineId}/`, model.removeItem(account, cartId, lineId))
        break
      case 'placeOrder': {
        // The latest key of a group, or any key that was ever shown.
        const cartWithLines = some(
          account.carts.filter(({ groups }) => groups.length > 0),
          a,
        )
        if (cartWithLines && b % 2 !== 0) {
          await send('GET', `/api/v1/carts/${cartWithLines.id}/items/`, model.listItems(account, cartWithLines.id))
        }
        const latest = some(cartWithLines?.groups ?? [], c)
        const keys =
          latest && b % 4 !== 0
            ? [...latest.shown.keys()].slice(-1)
            : account.groups.flatMap(({ shown }) => [...shown.keys()])
        const cart_group_key = some(keys, c) ?? '404-0123456789abcdef-0123456789abcdef'
        const city = b % 11 === 0 ? 'Potsdam' : 'Berlin'
        await send('PUT', '/api/v1/orders/', model.placeOrder(account, cart_group_key, city), {
          cart_group_key,
          ...address,
          city,
        })
        break
      }
      case 'readOrder':
        await send('GET', order, model.readOrder(account, orderId))
        break
      case 'listOrders': {
        const state = b % 2 === 0 ? at(['new', 'zayavka-na-otmen', 'nonsense'], b) : undefined
        const article = c % 2 === 0 ? at(world.items, c) : undefined
        const query = new URLSearchParams({
          ...(state === undefined ? {} : { state }),
          ...(article === undefined ? {} : { sku_code: `m-${article}` }),
        })
        await send('GET', `/api/v1/orders/?${query.toString()}`, model.listOrders(account, { state, article }))
        break
      }
      case 'orderItems':
        await send('GET', `${order}items/`, model.orderItems(account, orderId))
        break
      case 'reschedule': {
        const today = Temporal.Now.plainDateISO('UTC')
        const window = { earliest_date: today.toString(), latest_date: today.add({ days: 90 }).toString() }
        const shipping_date = today.add({ days: at([-1, 0, 5, 5, 90, 91], b) }).toString()
        await send('PATCH', order, model.reschedule(account, orderId, shipping_date, window), { shipping_date })
        break
      }
      case 'cancel':
        await send('DELETE', order, model.cancel(account, orderId))
        break
      case 'adjust': {
        const known = some(account.orders, a)
        if (known?.lines[0]?.id === 0) await send('GET', `${order}items/`, model.orderItems(account, orderId))
        const orderLine = some(known?.lines ?? [], b)?.id ?? 404
        await send('PATCH', `${order}items/${orderLine}/`, model.adjust(account, orderId, orderLine, c % 4), {
          quantity: c % 4,
        })
        break
      }
      case 'listAdjustments':
        await send('GET', `${order}adjustments/`, model.listAdjustments(account, orderId))
        break
      case 'price': {
        if (b % 3 !== 0) break
        const price = at([9, 10, 33.3333, 100.5], c)
        model.prices.set(at(world.items, a), Math.round(price * 10_000))
        await service.sql('update prices set price = $3 where price_list_id = $1 and item_id = $2', [
          world.price_list_id,
          at(world.items, a),
          price,
        ])
        break
      }
      case 'onSale':
        if (b % 3 !== 0) break
        model.onSale.set(at(world.items, a), c % 2 === 0)
        await service.sql('update items set on_sale = $2 where item_id = $1', [at(world.items, a), c % 2 === 0])
        break
      case 'foreign': {
        const other = some(at(model.accounts, who + 1).orders, a)
        if (other) await send('GET', `/api/v1/orders/${other.id}/`, model.readOrder(account, other.id))
        break
      }
      default:
        assert.fail(kind satisfies never)
    }
  }
}

const onCarts = ['renameCart', 'deleteCart', 'listItems', 'addItem', 'changeQuantity', 'readItem', 'removeItem']
const onOrders = ['readOrder', 'orderItems', 'reschedule', 'cancel', 'adjust', 'listAdjustments']

/** A step that cannot succeed yet becomes its prerequisite. */
function prerequisiteOf(kind: Step['kind'], { carts, orders }: Model['accounts'][number]): Step['kind'] {
  if (
    carts.length === 0 &&
    (onCarts.includes(kind) || kind === 'placeOrder' || (orders.length === 0 && onOrders.includes(kind)))
  )
    return 'createCart'
  const filled = carts.some(({ groups }) => groups.length > 0)
  if (onOrders.includes(kind) && orders.length === 0) return filled ? 'placeOrder' : 'addItem'
  return kind === 'placeOrder' && !filled && orders.length === 0 ? 'addItem' : kind
}

async function compare(
  kind: string,
  key: string,
  { method, path: to, form }: { method: string; path: string; form?: Record<string, string | number> },
  expected: ExpectedAnswer,
): Promise<void> {
  const answer = await service.request(method, to, { key, ...(form === undefined ? {} : { form }) })
  const code = answer.body.errors?.[0]?.code ?? 'ok'
  done.set(`${kind} ${code}`, (done.get(`${kind} ${code}`) ?? 0) + 1)
  const context = `${method} ${to} ${JSON.stringify(form)}: ${answer.status} ${answer.text}`
  assert.equal(answer.status, expected.status, context)
  if (expected.status === 200) {
    const data: unknown = maskVolatile(answer.body.data, expected.data)
    assert.deepEqual(withoutKeys(data), withoutKeys(expected.data), context)
    expected.learn?.(answer.body.data)
  } else {
    assert.deepEqual(
      answer.body.errors.map((error) => error.code),
      expected.codes,
      context,
    )
    if (expected.details !== undefined)
      assert.deepEqual(withoutKeys(answer.body.errors[0]?.details), withoutKeys(expected.details), context)
  }
}

/** The model knows what a key stands for, not how it is computed. */
function withoutKeys(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (name, value: unknown) =>
    name === 'cart_group_key' && typeof value === 'string' && value !== '404-0123456789abcdef-0123456789abcdef'
      ? 'key'
      : value,
  )
}

function at<T>(of: readonly T[], index: number): T {
  const value = of[index % of.length]
  assert(value !== undefined)
  return value
}

function some<T>(of: readonly T[], index: number): T | undefined {
  return of.length === 0 ? undefined : of[index % of.length]
}
