/** All operations. The ids of clients, orders and carts follow the formulas of the loader's SQL files. */
import { cancellable, cancellationRequested, adjustable } from '../../../apps/service/src/vocabulary/order-states.ts'
import { orderAddressForm, orderInput } from '../order-address.ts'
import { emptyCarts, filledGroups, type Goods } from './material-carts.ts'
import { newOrders } from './material-orders.ts'
import { articles, searches } from './material-texts.ts'
import type { Operation } from './operation.ts'
import { WrongUse } from '../workload.ts'

/** The client at this place among the active ones, which are groups of ten neighbours that are `spread` tens apart. */
const clientAt = (place: string): Record<string, string> => ({
  active_place: place,
  ten: 'active_place // 10',
  client_id: 'ten * spread * 10 + active_place % 10 + 1',
})

const anyClient = clientAt('random(0, active - 1)')

/** Any loaded order of an active client: the inverse of the formula in the loader's plan.sql. */
const anyOrder = {
  hundred: 'random(0, active_tens - 1) * spread',
  place: 'random(0, 99)',
  client_id: 'hundred * 10 + 10 - share(place)',
  order_id: '(hundred * 100 + place) * stride_inverse % slots + random(0, orders_a_slot - 1) * slots + 1',
}

const draw = { round: 'turn // hold', draw: '(round * workers + worker) % draws' }

const page_size = '21'

/** The next piece of material: each is used once. */
const next = { next: 'turn * workers + worker' }

const by = { actor: 'key 1', request_id: 'bench' }
const texts = (words: readonly string[]): string => `{${words.join(',')}}`

export const operations: readonly Operation[] = [
  {
    name: 'read-order',
    statement: 'read-order',
    numbers: anyOrder,
    request: { method: 'GET', path: '/api/v1/orders/{order_id}/' },
  },
  {
    name: 'list-orders-20',
    statement: 'list-orders',
    numbers: anyClient,
    constants: { page_size },
    request: { method: 'GET', path: '/api/v1/orders/?limit=20' },
  },
  {
    name: 'list-orders-state',
    statement: 'list-orders',
    numbers: anyClient,
    constants: { page_size, states: '{completed}' },
    request: { method: 'GET', path: '/api/v1/orders/?limit=20&state=completed' },
  },
  {
    // One month of two years. PostgreSQL reads 20260301 as a date. The statement takes the day after the last one.
    name: 'list-orders-dates',
    statement: 'list-orders',
    numbers: {
      ...anyClient,
      ordinal: 'random(month_first, month_last)',
      year: 'ordinal // 12',
      month: 'ordinal % 12 + 1',
      date_from: 'year * 10000 + month * 100 + 1',
      date_to: 'year * 10000 + month * 100 + 28',
    },
    constants: { page_size },
    request: {
      method: 'GET',
      path: '/api/v1/orders/?limit=20&date_from={year}-{month:2}-01&date_to={year}-{month:2}-27',
    },
  },
  {
    name: 'list-orders-sku',
    statement: 'list-orders',
    numbers: draw,
    constants: { page_size },
    request: { method: 'GET', path: '/api/v1/orders/?limit=20&sku_code={sku_code}' },
    supply: articles,
  },
  {
    name: 'list-cart-5', // Every twentieth client has a large cart, so the last of each ten is skipped.
    statement: 'list-cart-items',
    numbers: {
      ten: 'random(0, active_tens - 1) * spread',
      client_id: 'ten * 10 + random(1, 9)',
      cart_id: 'client_id * 2 - 1',
    },
    request: { method: 'GET', path: '/api/v1/carts/{cart_id}/items/' },
  },
  {
    name: 'list-cart-500',
    statement: 'list-cart-items',
    numbers: { client_id: 'random(1, clients_with_large_cart) * 20', cart_id: 'client_id * 2 - 1' },
    request: { method: 'GET', path: '/api/v1/carts/{cart_id}/items/' },
  },
  {
    name: 'add-line',
    statement: 'add-cart-item',
    numbers: {
      ...anyClient,
      cart_id: 'first_cart + active_place',
      item_id: 'random(1, bench_items) * bench_item_step',
      stock_id: 'client_id % 3 + 1',
      contract_id: 'client_id * 2 - 1',
    },
    constants: { advertising: 'Spring campaign', quantity: '1' },
    request: {
      method: 'PUT',
      path: '/api/v1/carts/{cart_id}/items/',
      form:
        'item_id={item_id}&stock_id={stock_id}&quantity=1&contract_id={contract_id}' +
        '&for_advertising_budget=Spring+campaign',
    },
    supply: emptyCarts,
  },
  {
    name: 'change-quantity', // One of the first two lines of a loaded cart; carts.sql derives their ids from the group's.
    statement: 'change-quantity',
    numbers: {
      ...anyClient,
      cart_id: 'client_id * 2 - 1',
      cart_item_id: '(client_id * 3 - 2) * 1000 + random(1, 2)',
      quantity: 'random(1, 100)',
    },
    request: { method: 'PATCH', path: '/api/v1/carts/{cart_id}/items/{cart_item_id}/', form: 'quantity={quantity}' },
  },
  placeOrder({ lines: 5, hot: false }, 4_000),
  placeOrder({ lines: 100, hot: false }, 400),
  {
    name: 'cancel',
    statement: 'cancel-order',
    numbers: { ...next, ...clientAt('next % active'), client: 'client_id', order_id: 'first_order + next' },
    constants: { requested: cancellationRequested, cancellable: texts(cancellable), ...by },
    request: { method: 'DELETE', path: '/api/v1/orders/{order_id}/' },
    supply: newOrders({ perSecond: 6_000, effect: 'cancelled' }),
  },
  {
    name: 'request-adjustment',
    statement: 'request-adjustment',
    numbers: {
      ...next,
      ...clientAt('next % active'),
      client: 'client_id',
      contact: 'client_id * 2 - 1',
      order_id: 'first_order + next',
      order_item_id: 'first_line + next',
    },
    constants: { quantity: '3', adjustable: texts(adjustable), ...by },
    request: { method: 'PATCH', path: '/api/v1/orders/{order_id}/items/{order_item_id}/', form: 'quantity=3' },
    supply: newOrders({ perSecond: 6_000, effect: 'adjusted' }),
  },
  {
    name: 'list-items-search', // Two words of a title: a common one, and the model, which twenty items have.
    statement: 'list-items',
    numbers: draw,
    constants: { after_id: '0', page_size, scan_max: '2000', matches_max: '20' },
    request: { method: 'GET', path: '/api/v1/items/?limit=20&search={search}' },
    supply: searches,
  },
]

/** Every order takes the same item, or the same 20, from the same stock; and orders of spread items for comparison. */
export const hotGoods: readonly Operation[] = [1, 20].flatMap((lines) =>
  [false, true].map((hot) => placeOrder({ lines, hot }, 4_000 / lines)),
)

/** Groups of a block have equal lines, so they have equal digests. Each belongs to another client. */
function placeOrder(goods: Goods, perSecond: number): Operation {
  return {
    name: `place-order-${goods.lines}${goods.hot ? '-hot' : ''}`,
    statement: 'place-order',
    numbers: {
      ...draw,
      place: 'turn % hold',
      three: 'draw // 3',
      ...clientAt('(three + place * 331) % active_threes * 3 + draw % 3'),
      client: 'client_id',
      cart_group: 'first_group + draw * hold + place',
      contact: 'client_id * 2 - 1',
    },
    constants: {
      ...orderInput,
      shown_virtual: 'false',
      remark: 'bench',
      request_digest: `\\x${'ab'.repeat(32)}`,
      ...by,
    },
    request: {
      method: 'PUT',
      path: '/api/v1/orders/',
      form: `cart_group_key={cart_group}-{shown_lines}-{shown_prices}-{shown_terms}&${orderAddressForm}`,
    },
    supply: filledGroups(goods, perSecond),
  }
}

/** A cart, five lines, a look at the cart, an order (journey.ts). It has no bare side. */
export const journey = 'journey'

export const operationNamed = (name: string): Operation => chosenOperations([name], operations)[0] as Operation

/** The operations of these names, or all. Checked before a database is loaded, which takes minutes. */
export function chosenOperations(names: readonly string[] | undefined, of: readonly Operation[]): Operation[] {
  refuseUnknown(names ?? [], of.map(({ name }) => name)) // prettier-ignore
  return (names ?? of.map(({ name }) => name)).flatMap((name) => of.filter((one) => one.name === name))
}

export function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new WrongUse(`There is no operation '${unknown.join("', '")}'; there are ${known.join(', ')}.`)
}
