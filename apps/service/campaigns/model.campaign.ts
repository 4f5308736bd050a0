/**
 * Random sequences of operations by four clients and by operators, every answer compared with a model of the API
 * contract. At the end of each sequence every order, event, stock level and exposure is compared too.
 * A failure prints its seed and path: MODEL_SEED=… MODEL_PATH=… node --test apps/service/campaigns/model.campaign.ts replays it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { maskVolatile } from '../src/testing/mask-volatile.ts'
import { long } from '../src/testing/racing.ts'
import { adjustable, contractOf } from './model-state.ts'
import type {
  ExpectedAnswer,
  ModelAccount,
  ModelAdjustment,
  ModelOrder,
  ModelRow,
  RequestedRow,
} from './model-state.ts'
import { Model } from './model.ts'
import { behalfRemark } from './model-behalf.ts'
import { ModelOffice } from './model-office.ts'
import { ModelOperators } from './model-operators.ts'
import { at, isOnCarts, isOperatorStep, prerequisiteOf, some, step, type ModelStep } from './model-steps.ts'
import { makeModelWorld } from './model-world.ts'
import { makeOperators, type Operators } from '../src/testing/operators.ts'
import { startService, type RequestOptions, type TestService } from '../src/testing/service.ts'
import { address, addFixtures } from '../src/testing/fixtures.ts'

const manySequences = 400
const sequences = Number(process.env['MODEL_SEQUENCES'] ?? (long ? manySequences : 100)) // A change of the model deserves 2,000.
const concurrency = 4
const { MODEL_SEED: seed, MODEL_PATH: path } = process.env

let service: TestService
let operators: Operators

before(async () => {
  service = await startService({ settings: { CONFIRMED_QUANTITY_FACTOR: '0' } }) // The model accepts every quantity at once.
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const done = new Map<string, number>()

test(
  `${sequences} random sequences by clients and operators answer as the model of the API does`,
  { timeout: 3_600_000 },
  async () => {
    const playSequences = (number: number) =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80, size: 'max' }), play),
        path === undefined
          ? {
              numRuns: Math.ceil(sequences / concurrency), // With a fraction, fast-check would never end.
              seed: Number(seed ?? Math.floor(Math.random() * 2 ** 31)) + number,
            }
          : { seed: Number(seed), path, numRuns: 1, endOnFailure: true },
      )
    await Promise.all(
      path === undefined ? Array.from({ length: concurrency }, (_, i) => playSequences(i)) : [playSequences(0)],
    )
    await service.checkInvariants()
    process.stdout.write(`${JSON.stringify(Object.fromEntries(done))}\n`)
    if (sequences >= manySequences && path === undefined)
      for (const code of mustHappen)
        assert((done.get(code) ?? 0) >= sequences / 200, `${code} happened ${done.get(code) ?? 0} times.`)
  },
)

/** Outcomes that must occur in many sequences, or they prove nothing. */
const mustHappen = [
  'placeOrder ok', 'placeOrder cart_group_changed: lines', 'placeOrder cart_group_changed: prices',
  'placeOrder cart_group_changed: terms', 'placeOrder cart_group_already_ordered', 'placeOrder cart_group_not_found',
  'placeOrder out_of_stock', 'placeOrder contract_limit_exceeded', 'placeOrder item_not_on_sale', 'placeOrder quantity_not_allowed', 'addItem quantity_not_allowed', 'changeQuantity quantity_not_allowed', 'reschedule ok', 'reschedule shipping_date_refused', 'reschedule order_not_reschedulable',
  'cancel ok', 'adjust ok', 'adjust order_not_adjustable', 'adjust: nothing to decide', 'withdraw ok', 'withdraw adjustment_decided', 'accept ok',
  'accept out_of_stock', 'accept: the order is cancelled', 'removeItem ok', 'addRows ok', 'orderAgain ok', 'foreign order_not_found',
  'placeOrder client_blocked', 'placeOrder contract_blocked', 'advance ok', 'advance order_held', 'move ok', 'move order_move_refused', 'ship ok', 'ship goods_missing',
  'ship order_move_refused', 'closeOpen ok', 'decideCancellation ok', 'undoCancellation ok', 'undoCancellation cancellation_not_undoable', 'hold ok', 'release ok',
  'return ok', 'return quantity_not_returnable', 'return return_request_not_accepted', 'requestReturn ok',
  'requestReturn quantity_not_returnable', 'withdrawReturn ok', 'withdrawReturn return_request_decided', 'acceptReturn ok', 'rejectReturn ok', 'note ok', 'clearVirtual ok', 'changeDate ok', 'changeDate shipping_date_refused', 'changeLine ok',
  'changeLine order_lines_fixed', 'addLine ok', 'addLine item_in_order', 'count ok', 'arrive ok', 'expect ok', 'limit ok', 'limit confirmation_required', 'readEvents ok', 'reject ok',
  'createCart by an operator ok', 'renameCart by an operator ok', 'deleteCart by an operator ok', 'listItems by an operator ok', 'addItem by an operator ok',
  'addRows by an operator ok', 'changeQuantity by an operator ok', 'readItem by an operator ok', 'removeItem by an operator ok', 'orderAgain by an operator ok',
  'placeOrder by an operator ok', 'placeOrder by an operator cart_group_changed', 'placeOrder by an operator cart_group_already_ordered', 'orderFor ok',
  'orderFor out_of_stock', 'orderFor contract_limit_exceeded', 'orderFor order_total_differs', 'orderFor item_not_on_sale', 'orderFor quantity_not_allowed', 'orderFor client_blocked', 'orderFor contract_blocked',
] // prettier-ignore

async function play(steps: readonly ModelStep[]): Promise<void> {
  const world = await makeModelWorld(service)
  const model = new Model(world)
  const operatorsOf = (kind: string): ModelOperators =>
    new ModelOperators(model, ({ key = operators.keys.admin, ...request }, expected) =>
      compare(kind, key, request, expected),
    )
  for (const { kind: drawnKind, who, a, b, c } of steps) {
    const account = at(model.accounts, who)
    const kind = b % 8 === 0 ? drawnKind : prerequisiteOf(drawnKind, account)
    const cartId = some(account.carts, a)?.id ?? 404
    const orderId = some(account.orders, a)?.id ?? 404
    const lineId = some(some(some(account.carts, a)?.groups ?? [], b)?.lines ?? [], c)?.id ?? 404
    const cart = `/api/v1/carts/${cartId}/`
    const order = `/api/v1/orders/${orderId}/`
    const isBehalf = (a + b + c) % 4 === 0 && isOnCarts(kind)
    const sendAny = (request: SentRequest, expected: ExpectedAnswer): Promise<void> =>
      isBehalf
        ? compare(`${kind} by an operator`, operators.keys.decider, onBehalf(account, request), expected)
        : compare(kind, account.client.key, request, expected)
    const send = (method: string, to: string, expected: ExpectedAnswer, form?: Record<string, string | number>) =>
      sendAny({ method, path: to, ...(form === undefined ? {} : { form }) }, expected)
    const drawnRow = (n: number): ModelRow => ({
      item: at(world.items, b + n),
      stock: at(world.stocks, Number((c + n) % 5 === 0)),
      contract: at(account.client.contracts, Number((a + n) % 3 === 0)),
      advertising: (b + n) % 7 === 0 ? 'Spring' : '',
      quantity: (c + n) % 6 === 0 ? 7 : 1 + ((c + n) % 4),
    })
    if (isOperatorStep(kind)) {
      await operatorsOf(kind).play(kind, account, { a, b, c })
      continue
    }
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
      case 'listItems': {
        const promised = c % 2 === 0
        const query = promised ? '?include=promise' : ''
        await send('GET', `${cart}items/${query}`, model.listItems(account, cartId, { promised }))
        break
      }
      case 'addItem': {
        if (account.carts.length === 0) {
          await send('PUT', '/api/v1/carts/', model.createCart(account, 'First'), { name: 'First' })
          break
        }
        const row = drawnRow(0)
        const { contract_id, ...fields } = rowFields(row)
        await send('PUT', `${cart}items/`, model.addItem(account, cartId, row), {
          ...fields,
          ...(a % 3 === 0 || b % 2 === 0 ? { contract_id } : {}),
        })
        break
      }
      case 'addRows': {
        const rows = Array.from({ length: 1 + (c % 9) }, (_, n) =>
          a % 2 === 0 && (b + n) % 3 > 0 ? { ...drawnRow(n), stock: undefined } : drawnRow(n),
        )
        const request = { method: 'PUT', path: `${cart}items/bulk/`, json: rows.map(rowFields) }
        await sendAny(request, model.addRows(account, cartId, rows))
        break
      }
      case 'orderAgain':
        await send('PUT', `${cart}items/from-order/`, model.orderAgain(account, cartId, orderId), { order_id: orderId })
        break
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
        const isLatest = latest && b % (isBehalf ? 2 : 4) !== 0
        const keys = isLatest
          ? [...latest.shown.keys()].slice(-1)
          : account.groups.flatMap(({ shown }) => [...shown.keys()])
        const cart_group_key = some(keys, c) ?? '404-0123456789abcdef-0123456789abcdef'
        const city = b % (isLatest ? 11 : 3) === 0 ? 'Potsdam' : 'Berlin'
        const expected = model.placeOrder(account, cart_group_key, city, isBehalf ? behalfRemark : '')
        await send('PUT', '/api/v1/orders/', expected, {
          cart_group_key,
          ...address,
          city,
        })
        break
      }
      case 'readOrder': {
        const promised = c % 2 === 0
        const query = promised ? '?include=promise' : ''
        await send('GET', `${order}${query}`, model.readOrder(account, orderId, { promised }))
        break
      }
      case 'listOrders': {
        const state =
          b % 2 === 0 ? at(['new', 'processing', 'shipped', 'zayavka-na-otmen', 'canceled', 'nonsense'], b) : undefined
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
        const window = { earliest_date: today.toString(), latest_date: today.add({ days: 3650 }).toString() }
        const shipping_date = today.add({ days: at([-1, 0, 5, 5, 3650, 3651], b) }).toString()
        await send('PATCH', order, model.reschedule(account, orderId, shipping_date, window), { shipping_date })
        break
      }
      case 'cancel':
        await send('DELETE', order, model.cancel(account, orderId))
        break
      case 'adjust': {
        const adjustableOnes = account.orders.filter(({ state }) => adjustable.includes(state))
        const known = (b % 8 === 0 ? undefined : some(adjustableOnes, a)) ?? some(account.orders, a)
        const id = known?.id ?? 404
        const items = `/api/v1/orders/${id}/items/`
        if (known?.lines.some((line) => line.id === 0)) await send('GET', items, model.orderItems(account, id))
        const orderLine = some(known?.lines ?? [], b)?.id ?? 404 // Also of removed lines.
        const quantity = c % 3 === 0 ? at([0, 30, 30], b) : c % 4
        const reason = c % 5 === 0 ? `Reason ${c}` : null
        const isUnchanged = known?.lines.some(
          (line) => line.id === orderLine && line.quantity === quantity && quantity > 0,
        )
        const expected = model.adjustments.request(account, id, orderLine, { quantity, reason })
        if (isUnchanged && expected.status === 200) count('adjust: nothing to decide')
        await send('PATCH', `${items}${orderLine}/`, expected, { quantity, ...(reason === null ? {} : { reason }) })
        break
      }
      case 'withdraw': {
        const { of, adjustment } = some(requestedBy(account), c) ?? {}
        const [id, adjustmentId] = [of?.id ?? orderId, adjustment?.id ?? 404]
        const expected = model.adjustments.withdraw(account, id, adjustmentId)
        await send('DELETE', `/api/v1/orders/${id}/adjustments/${adjustmentId}/`, expected)
        break
      }
      case 'accept': {
        const requested = requestedBy(account).filter(({ adjustment }) => c % 6 === 0 || adjustment.status === 'WAIT')
        const chosen = some(requested, b)
        if (chosen === undefined) break
        const expected = model.adjustments.accept(account, chosen.of, chosen.adjustment)
        const accept = { method: 'POST', path: `/operator/v1/adjustments/${chosen.adjustment.id}/accept/` }
        await compare(kind, operators.keys.decider, accept, expected)
        if (chosen.of.state === 'canceled') count('accept: the order is cancelled')
        break
      }
      case 'reject': {
        const requested = requestedBy(account).filter(({ adjustment }) => c % 6 === 0 || adjustment.status === 'WAIT')
        const chosen = some(requested, b)
        if (chosen === undefined) break
        const message = `Rejected ${c}.`
        const expected = model.adjustments.reject(account, chosen.of, chosen.adjustment, message)
        const to = `/operator/v1/adjustments/${chosen.adjustment.id}/reject/`
        await compare(kind, operators.keys.decider, { method: 'POST', path: to, json: { message } }, expected)
        break
      }
      case 'readEvents': {
        const from = b % (account.events.length + 1)
        await send('GET', `/api/v1/events/?after=${from}`, new ModelOffice(model).events(account, from))
        break
      }
      case 'listAdjustments': {
        const include = c % 2 === 0
        const expected = model.adjustments.list(account, orderId, { include })
        await send('GET', `${order}adjustments/${include ? '?include=request' : ''}`, expected)
        break
      }
      case 'price': {
        const price = at([9, 10, 33.3333, 100.5], c)
        const breaks = at([[], [], [{ quantity: 3, price: 8.5 }], [{ quantity: 2, price: 9.9 }, { quantity: 5, price: 7 }]], b) // prettier-ignore
        const inModel = (amount: number): number => Math.round(amount * 10_000)
        model.goods.prices.set(at(world.items, a), inModel(price))
        model.goods.breaks.set(
          at(world.items, a),
          breaks.map((one) => ({ quantity: one.quantity, price: inModel(one.price) })),
        )
        await service.sql(
          `update prices set price = $3, break_quantities = nullif($4::integer[], '{}'),
             break_prices = nullif($5::numeric[], '{}')
           where price_list_id = $1 and item_id = $2`,
          [
            world.price_list_id,
            at(world.items, a),
            price,
            breaks.map((one) => one.quantity),
            breaks.map((one) => one.price),
          ],
        )
        break
      }
      case 'rules': {
        const [min, multiple] = at([[1, 1], [1, 1], [1, 1], [1, 2], [3, 1], [2, 3]] as const, b) // prettier-ignore
        model.goods.rules.set(at(world.items, a), { min, multiple })
        await service.sql('update items set quantity_min = $2, quantity_multiple = $3 where item_id = $1', [
          at(world.items, a),
          min,
          multiple,
        ])
        break
      }
      case 'terms': {
        const contract_id = at(account.client.contracts, Number(a % 3 === 0))
        const [discountPercent, taxPercent] = [at([0, 5, 10], b), at([7, 20], c)]
        contractOf(account, { contract: contract_id }).terms = { discountPercent, taxPercent }
        await service.sql('update contracts set discount_percent = $2, tax_percent = $3 where contract_id = $1', [
          contract_id,
          discountPercent,
          taxPercent,
        ])
        break
      }
      case 'onSale':
        if (b % 3 !== 0) break
        model.goods.onSale.set(at(world.items, a), c % 2 === 0)
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
  await operatorsOf('in the end').compareAll((account, expected) =>
    compare('events', account.client.key, { method: 'GET', path: '/api/v1/events/?after=0' }, expected),
  )
}

interface SentRequest extends Pick<RequestOptions, 'form' | 'json' | 'headers'> {
  readonly method: string
  readonly path: string
}

/** The same request by an operator: below the client, as JSON, with POST instead of PUT. */
function onBehalf({ client }: ModelAccount, { method, path: to, form, json = form }: SentRequest): SentRequest {
  const below = to.replace('/api/v1/', `/operator/v1/clients/${client.client_id}/`)
  const body = json === undefined ? {} : { json }
  if (method === 'PATCH' && /carts\/\d+\/$/.test(to)) return { method: 'POST', path: `${below}rename/`, ...body }
  if (to === '/api/v1/orders/') return { method: 'POST', path: `${below}from-cart/`, ...body }
  return { method: method === 'PUT' ? 'POST' : method, path: below, ...body }
}

const rowFields = ({ item, stock, contract, advertising, quantity }: RequestedRow) => ({
  item_id: item,
  ...(stock === undefined ? {} : { stock_id: stock }),
  contract_id: contract,
  quantity,
  ...(advertising === '' ? {} : { for_advertising_budget: advertising }),
})

const requestedBy = ({ orders }: ModelAccount): { of: ModelOrder; adjustment: ModelAdjustment }[] =>
  orders.flatMap((of) => of.adjustments.map((adjustment) => ({ of, adjustment })))

function count(outcome: string): void {
  done.set(outcome, (done.get(outcome) ?? 0) + 1)
}

async function compare(
  kind: string,
  key: string,
  { method, path: to, ...body }: SentRequest,
  expected: ExpectedAnswer,
): Promise<void> {
  const answer = await service.request(method, to, { key, ...body })
  const code = answer.body.errors?.[0]?.code ?? 'ok'
  const changed = (answer.body.errors?.[0]?.details?.['changed'] ?? []) as string[]
  for (const outcome of [code, ...changed.map((what) => `${code}: ${what}`)]) count(`${kind} ${outcome}`)
  const context = `${method} ${to} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`
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
      assert.deepEqual(
        withoutKeys(maskVolatile(answer.body.errors[0]?.details, expected.details)),
        withoutKeys(expected.details),
        context,
      )
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
