/**
 * For every route: what it answers when all is well, each way in which it refuses, and how it treats another client's ids.
 * `routes.test.ts` runs them all, and fails for a route or a refusal that has no case here.
 */
import { countries } from '../catalogue/countries.ts'
import { anyId, at } from '../testing/mask-volatile.ts'
import type { RefusalCode } from '../refusals.ts'
import { webhookCases } from '../webhooks/routes.cases.ts'
import { address, addClient, shopper, type TestClient } from '../testing/fixtures.ts'
import type { TestService } from '../testing/service.ts'

export interface CaseRequest {
  readonly path: string
  readonly form?: Record<string, string | number | undefined>
  readonly headers?: Record<string, string>
}

export interface Success extends CaseRequest {
  /** The whole of `data`. Times are compared by form: write `at` where one stands. */
  readonly data: unknown
}

export interface Refused extends CaseRequest {
  readonly details?: Record<string, unknown>
}

/** A fresh client for each case, with what it does most. */
export interface World {
  readonly service: TestService
  readonly me: TestClient
  readonly shop: ReturnType<typeof shopper>
}

export type ForeignPair = readonly [withForeignId: CaseRequest, withUnknownId: CaseRequest]

export interface RouteCases {
  readonly success: (world: World) => Promise<Success>
  readonly refusals: Partial<Record<RefusalCode, (world: World) => Promise<Refused>>>
  /** Given another client's world and one's own, for each id that the route takes: the wish with an id of the other's, and with one of nobody's. */
  readonly foreign: ((other: World, own: World) => Promise<ForeignPair[]>) | 'has no ids'
}

export const unknownId = 9_007_199_254_740_991

export async function makeWorld(service: TestService): Promise<World> {
  const me = await addClient(service)
  return { service, me, shop: shopper(service, me) }
}

const disc = {
  item_id: 1,
  item_vendor_code: 'BN-280-V',
  item_barcode: '4006381333931',
  item_title: 'Brake disc front 280 mm vented',
  brand: { brand_id: 1, brand_name: 'Bremsen Nord' },
}
const berlin = { stock_id: 1, stock_name: 'Berlin' }
const hamburg = { stock_id: 2, stock_name: 'Hamburg' }

const standardContract = ({ me }: World) => ({
  contract_id: me.contract_id,
  contract_name: 'Standard',
  contract_default: true,
  contract_service: false,
  contract_limit: 0,
})

/** A cart with 3 brake discs. */
async function filledCart({ shop }: World): Promise<{ cart_id: number; cart_item_id: number }> {
  const cart_id = await shop.createCart('Monday')
  return { cart_id, cart_item_id: await shop.add(cart_id, { item_id: 1, quantity: 3 }) }
}

export async function order(world: World): Promise<{ order_id: number; order_item_id: number }> {
  const { cart_id } = await filledCart(world)
  const order_id = await world.shop.order(cart_id)
  const [line] = await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return { order_id, order_item_id: line.order_item_id as number }
}

export async function orderInState(world: World, state: string): Promise<{ order_id: number; order_item_id: number }> {
  const placed = await order(world)
  await world.service.sql(
    `with moved as (update orders set order_state_id = $2, history_count = 2 where order_id = $1 returning client_id, order_id),
     freed as (update stock_levels set on_hand = on_hand - 3, reserved = reserved - 3 where stock_id = 1 and item_id = 1 and $2 = 'shipped')
     insert into order_history (client_id, order_id, entry, "group", state_id) select client_id, order_id, 2, 'Change of status', $2 from moved`,
    [placed.order_id, state],
  )
  return placed
}

export async function adjustment(world: World): Promise<{ order_id: number; adjustment_id: number }> {
  const { order_id, order_item_id } = await order(world)
  const made = await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 2 })
  return { order_id, adjustment_id: made.adjustment_id as number }
}

export const day = (ahead: number): string => Temporal.Now.plainDateISO('UTC').add({ days: ahead }).toString()

export const entry = (group: string, value: string, state_id: string, text = '') => ({
  date: at,
  group,
  value,
  state_id,
  text,
})
export const created = entry('Change of status', 'New', 'new')

export async function orderView(world: World, order_id: number) {
  const [row] = await world.service.sql('select order_number from orders where order_id = $1', [order_id])
  return {
    order_id,
    order_number: Number(row?.['order_number']),
    order_contact_id: world.me.contact_id,
    order_create_datetime: at,
    order_update_datetime: at,
    order_state_id: 'new',
    order_total: 30,
    order_rate: 1,
    order_tax: 5,
    order_shipping: 0,
    order_discount: 0,
    order_shipping_datetime: null as string | null,
    order_archive_datetime: null,
    order_history: [created],
    order_stock: berlin,
    order_contract: standardContract(world),
    order_advertising: null,
    virtual: false,
  }
}

export const adjustmentView = (order_id: number, adjustment_id: unknown) => ({
  adjustment_id,
  adjustment_order_id: order_id,
  adjustment_date_create: at,
  adjustment_status: 'WAIT',
  adjustment_canceled_message: null,
  adjustment_items: [
    {
      sku_id: 1,
      product_id: 11,
      product_name: 'Brake disc 280',
      sku_name: disc.item_title,
      sku: 'BN-280-V',
      difference: 0,
    },
  ],
})

async function offeredDisc({ service }: World) {
  const [level] = await service.sql(
    'select on_hand - reserved as available from stock_levels where stock_id = 1 and item_id = 1',
  )
  return {
    ...disc,
    price: 10,
    availability: [
      { ...berlin, available: Number(level?.['available']) },
      { ...hamburg, available: 20 },
    ],
  }
}

const cartNotFound = async (): Promise<Refused> => ({
  path: `/api/v1/carts/${unknownId}/`,
  details: { cart_id: unknownId },
})
const orderNotFound = async (): Promise<Refused> => ({
  path: `/api/v1/orders/${unknownId}/`,
  details: { order_id: unknownId },
})

const withForm = (path: string, form: CaseRequest['form']): CaseRequest => ({
  path,
  ...(form === undefined ? {} : { form }),
})

const foreignCart =
  (rest = '', form?: CaseRequest['form']) =>
  async (other: World): Promise<ForeignPair[]> => {
    const { cart_id } = await filledCart(other)
    return [[withForm(`/api/v1/carts/${cart_id}/${rest}`, form), withForm(`/api/v1/carts/${unknownId}/${rest}`, form)]]
  }

/** The other's line asked for in one's own cart, and in the other's. */
const foreignCartItem =
  (form?: CaseRequest['form']) =>
  async (other: World, own: World): Promise<ForeignPair[]> => {
    const theirs = await filledCart(other)
    const { cart_id } = await filledCart(own)
    const line = (cart: number, item: number): CaseRequest => withForm(`/api/v1/carts/${cart}/items/${item}/`, form)
    return [
      [line(cart_id, theirs.cart_item_id), line(cart_id, unknownId)],
      [line(theirs.cart_id, theirs.cart_item_id), line(unknownId, theirs.cart_item_id)],
    ]
  }

const foreignOrder =
  (rest = '', form?: CaseRequest['form']) =>
  async (other: World): Promise<ForeignPair[]> => {
    const { order_id } = await order(other)
    return [
      [withForm(`/api/v1/orders/${order_id}/${rest}`, form), withForm(`/api/v1/orders/${unknownId}/${rest}`, form)],
    ]
  }

const cartItemRefusals = (form?: CaseRequest['form']): RouteCases['refusals'] => ({
  cart_not_found: async () => ({
    path: `/api/v1/carts/${unknownId}/items/1/`,
    ...(form === undefined ? {} : { form }),
    details: { cart_id: unknownId },
  }),
  cart_item_not_found: async (world) => {
    const { cart_id } = await filledCart(world)
    return {
      path: `/api/v1/carts/${cart_id}/items/${unknownId}/`,
      ...(form === undefined ? {} : { form }),
      details: { cart_id, cart_item_id: unknownId },
    }
  },
})

/** A wish to add a line, with one thing changed. */
const adding =
  (change: (world: World) => CaseRequest['form'], details: (world: World) => Record<string, unknown>) =>
  async (world: World): Promise<Refused> => {
    const cart_id = await world.shop.createCart()
    return {
      path: `/api/v1/carts/${cart_id}/items/`,
      form: { item_id: 1, stock_id: 1, quantity: 1, ...change(world) },
      details: details(world),
    }
  }

/** A wish to order what is in the cart, after something has happened to it. */
const ordering =
  (
    line: { item_id: number; quantity: number; stock_id?: number } & { contract?: 'limited' | 'special' },
    then: (world: World, cart: { cart_id: number; key: string }) => Promise<Record<string, unknown>>,
    change: Record<string, string> = {},
  ) =>
  async (world: World): Promise<Refused> => {
    const { contract, ...wanted } = line
    const contract_id =
      contract === 'limited'
        ? world.me.limited_contract_id
        : contract === 'special'
          ? world.me.special_contract_id
          : undefined
    const cart_id = await world.shop.createCart()
    await world.shop.add(cart_id, { ...wanted, ...(contract_id === undefined ? {} : { contract_id }) })
    const key = await world.shop.groupKey(cart_id)
    const details = await then(world, { cart_id, key })
    return { path: '/api/v1/orders/', form: { cart_group_key: key, ...address, ...change }, details }
  }

export const routeCases: Record<string, RouteCases> = {
  ...webhookCases,
  'GET /api/v1/countries/': {
    success: async () => ({ path: '/api/v1/countries/', data: [...countries] }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/regions/': {
    success: async () => ({
      path: '/api/v1/regions/?country_code=HK',
      data: [{ region_code: 'HK', region_name: 'Hong Kong', country_code: 'HK' }],
    }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/stocks/': {
    success: async () => ({ path: '/api/v1/stocks/', data: [berlin, hamburg] }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/contracts/': {
    success: async (world) => ({
      path: '/api/v1/contracts/',
      data: [
        standardContract(world),
        {
          contract_id: world.me.limited_contract_id,
          contract_name: 'Limited',
          contract_default: false,
          contract_service: true,
          contract_limit: 1000,
        },
        {
          contract_id: world.me.special_contract_id,
          contract_name: 'Special',
          contract_default: false,
          contract_service: false,
          contract_limit: 0,
        },
      ],
    }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/order-states/': {
    success: async () => {
      const may = (cancellable: boolean, reschedulable: boolean, adjustable: boolean) => ({
        cancellable,
        reschedulable,
        adjustable,
      })
      return {
        path: '/api/v1/order-states/',
        data: [
          { state_id: 'new', value: 'New', ...may(true, true, true) },
          { state_id: 'processing', value: 'Processing', ...may(true, true, true) },
          { state_id: 'fulfilling', value: 'Being assembled', ...may(true, false, false) },
          { state_id: 'shipped', value: 'Shipped', ...may(false, false, false) },
          { state_id: 'completed', value: 'Completed', ...may(false, false, false) },
          { state_id: 'zayavka-na-otmen', value: 'Cancellation requested', ...may(false, false, false) },
          { state_id: 'canceled', value: 'Cancelled', ...may(false, false, false) },
        ],
      }
    },
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/items/': {
    success: async (world) => ({ path: '/api/v1/items/?search=bn-280-v', data: [await offeredDisc(world)] }),
    refusals: {
      contract_not_found: async () => ({
        path: `/api/v1/items/?contract_id=${unknownId}`,
        details: { contract_id: unknownId },
      }),
    },
    foreign: async ({ me }) => [
      [{ path: `/api/v1/items/?contract_id=${me.contract_id}` }, { path: `/api/v1/items/?contract_id=${unknownId}` }],
    ],
  },
  'GET /api/v1/items/{item_id}/': {
    success: async (world) => ({ path: '/api/v1/items/1/', data: await offeredDisc(world) }),
    refusals: {
      item_not_found: async () => ({ path: '/api/v1/items/5/', details: { item_id: 5 } }),
      contract_not_found: async () => ({
        path: `/api/v1/items/1/?contract_id=${unknownId}`,
        details: { contract_id: unknownId },
      }),
    },
    foreign: async ({ me }) => [
      [
        { path: `/api/v1/items/1/?contract_id=${me.contract_id}` },
        { path: `/api/v1/items/1/?contract_id=${unknownId}` },
      ],
    ],
  },
  'GET /api/v1/carts/': {
    success: async ({ shop }) => {
      const cart_id = await shop.createCart('Monday')
      return { path: '/api/v1/carts/', data: [{ cart_id, cart_name: 'Monday', virtual: false }] }
    },
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/carts/{cart_id}/': {
    success: async ({ shop }) => {
      const cart_id = await shop.createCart('Monday')
      return { path: `/api/v1/carts/${cart_id}/`, data: { cart_id, cart_name: 'Monday', virtual: false } }
    },
    refusals: { cart_not_found: cartNotFound },
    foreign: foreignCart(),
  },
  'PUT /api/v1/carts/': {
    success: async () => ({
      path: '/api/v1/carts/',
      form: { name: '  Werkstatt Mu\u0308ller ' },
      data: { cart_id: anyId, cart_name: 'Werkstatt M\u00fcller', virtual: false },
    }),
    refusals: {
      cart_limit_reached: async ({ service, me }) => {
        await service.sql(
          `with made as (insert into carts (client_id, cart_name) select $1, 'c' from generate_series(1, 200))
           update clients set cart_count = 200 where client_id = $1`,
          [me.client_id],
        )
        return { path: '/api/v1/carts/', form: { name: 'One more' }, details: { limit: 200 } }
      },
      idempotency_key_used: async ({ service, me }) => {
        const wish = { path: '/api/v1/carts/', headers: { 'idempotency-key': 'monday' } }
        await service.request('PUT', wish.path, { key: me.key, headers: wish.headers, form: { name: 'Monday' } })
        return { ...wish, form: { name: 'Tuesday' }, details: { idempotency_key: 'monday' } }
      },
    },
    foreign: 'has no ids',
  },
  'PATCH /api/v1/carts/{cart_id}/': {
    success: async ({ shop }) => {
      const cart_id = await shop.createCart('Monday')
      return {
        path: `/api/v1/carts/${cart_id}/`,
        form: { name: 'Tuesday' },
        data: { cart_id, cart_name: 'Tuesday', virtual: false },
      }
    },
    refusals: { cart_not_found: async () => ({ ...(await cartNotFound()), form: { name: 'Tuesday' } }) },
    foreign: foreignCart('', { name: 'Stolen' }),
  },
  'DELETE /api/v1/carts/{cart_id}/': {
    success: async (world) => {
      const { cart_id } = await filledCart(world)
      return { path: `/api/v1/carts/${cart_id}/`, data: { removed_cart_id: cart_id } }
    },
    refusals: { cart_not_found: cartNotFound },
    foreign: foreignCart(),
  },
  'GET /api/v1/carts/{cart_id}/items/': {
    success: async (world) => {
      const { cart_id, cart_item_id } = await filledCart(world)
      return {
        path: `/api/v1/carts/${cart_id}/items/`,
        data: [
          {
            cart_group_key: await world.shop.groupKey(cart_id),
            cart: { cart_id, cart_name: 'Monday', virtual: false },
            stock: berlin,
            advertising: '',
            contract: standardContract(world),
            cart_items: [{ cart_item_id, quantity: 3, price: 10, item: disc }],
          },
        ],
      }
    },
    refusals: {
      cart_not_found: async () => ({ path: `/api/v1/carts/${unknownId}/items/`, details: { cart_id: unknownId } }),
    },
    foreign: foreignCart('items/'),
  },
  'GET /api/v1/carts/{cart_id}/items/{cart_item_id}/': {
    success: async (world) => {
      const { cart_id, cart_item_id } = await filledCart(world)
      return {
        path: `/api/v1/carts/${cart_id}/items/${cart_item_id}/`,
        data: {
          cart_item: { cart_item_id, quantity: 3, price: 10, item: disc },
          cart: { cart_id, cart_name: 'Monday', virtual: false },
          advertising: '',
          contract: standardContract(world),
          stock: berlin,
        },
      }
    },
    refusals: cartItemRefusals(),
    foreign: foreignCartItem(),
  },
  'PUT /api/v1/carts/{cart_id}/items/': {
    success: async (world) => {
      const { cart_id, cart_item_id } = await filledCart(world)
      return {
        path: `/api/v1/carts/${cart_id}/items/`,
        form: { item_id: 1, stock_id: 1, quantity: 2, contract_id: world.me.contract_id },
        data: { cart_item_id, quantity: 5, price: 10, item: disc },
      }
    },
    refusals: {
      cart_not_found: async () => ({
        path: `/api/v1/carts/${unknownId}/items/`,
        form: { item_id: 1, stock_id: 1, quantity: 1 },
        details: { cart_id: unknownId },
      }),
      item_not_found: adding(
        () => ({ item_id: unknownId }),
        () => ({ item_id: unknownId }),
      ),
      stock_not_found: adding(
        () => ({ stock_id: unknownId }),
        () => ({ stock_id: unknownId }),
      ),
      contract_not_found: adding(
        () => ({ contract_id: unknownId }),
        () => ({ contract_id: unknownId }),
      ),
      item_not_on_sale: adding(
        () => ({ item_id: 5 }),
        () => ({ item_id: 5 }),
      ),
      stock_not_serving: adding(
        () => ({ stock_id: 3 }),
        () => ({ stock_id: 3 }),
      ),
      item_not_priced: adding(
        () => ({ item_id: 6 }),
        ({ me }) => ({ item_id: 6, contract_id: me.contract_id }),
      ),
      line_quantity_exceeded: async (world) => {
        const { cart_id } = await filledCart(world)
        return {
          path: `/api/v1/carts/${cart_id}/items/`,
          form: { item_id: 1, stock_id: 1, quantity: 999_998 },
          details: { item_id: 1, in_cart: 3, requested: 999_998, limit: 1_000_000 },
        }
      },
      cart_full: async (world) => {
        const { cart_id } = await filledCart(world)
        await world.service.sql(
          `with made as (
             insert into items (product_id, brand_id, item_vendor_code, item_barcode, item_title)
             select 11, 1, 'X', 'X', 'X' from generate_series(1, 999) returning item_id),
           lines as (
             insert into cart_items (client_id, cart_group_id, item_id, quantity, last_price)
             select g.client_id, g.cart_group_id, m.item_id, 1, 1 from made m, cart_groups g where g.cart_id = $1)
           update carts set line_count = 1000 where cart_id = $1`,
          [cart_id],
        )
        return {
          path: `/api/v1/carts/${cart_id}/items/`,
          form: { item_id: 2, stock_id: 1, quantity: 1 },
          details: { cart_id, limit: 1000 },
        }
      },
      idempotency_key_used: async (world) => {
        const { cart_id } = await filledCart(world)
        const wish = { path: `/api/v1/carts/${cart_id}/items/`, headers: { 'idempotency-key': 'discs' } }
        const form = { item_id: 1, stock_id: 1, quantity: 1 }
        await world.service.request('PUT', wish.path, { key: world.me.key, headers: wish.headers, form })
        return { ...wish, form: { ...form, quantity: 2 }, details: { idempotency_key: 'discs' } }
      },
    },
    foreign: async (other, own) => {
      const cart_id = await own.shop.createCart()
      const wish = (contract_id: number): CaseRequest => ({
        path: `/api/v1/carts/${cart_id}/items/`,
        form: { item_id: 1, stock_id: 1, quantity: 1, contract_id },
      })
      const theirs = await filledCart(other)
      const into = (cart: number): CaseRequest => ({
        ...wish(own.me.contract_id),
        path: `/api/v1/carts/${cart}/items/`,
      })
      return [
        [wish(other.me.contract_id), wish(unknownId)],
        [into(theirs.cart_id), into(unknownId)],
      ]
    },
  },
  'PATCH /api/v1/carts/{cart_id}/items/{cart_item_id}/': {
    success: async (world) => {
      const { cart_id, cart_item_id } = await filledCart(world)
      return {
        path: `/api/v1/carts/${cart_id}/items/${cart_item_id}/`,
        form: { quantity: 7 },
        data: {
          cart_item: { cart_item_id, quantity: 7, price: 10, item: disc },
          cart: { cart_id, cart_name: 'Monday', virtual: false },
          advertising: '',
          contract: standardContract(world),
          stock: berlin,
        },
      }
    },
    refusals: cartItemRefusals({ quantity: 7 }),
    foreign: foreignCartItem({ quantity: 7 }),
  },
  'DELETE /api/v1/carts/{cart_id}/items/{cart_item_id}/': {
    success: async (world) => {
      const { cart_id, cart_item_id } = await filledCart(world)
      return { path: `/api/v1/carts/${cart_id}/items/${cart_item_id}/`, data: { removed_cart_item_id: cart_item_id } }
    },
    refusals: cartItemRefusals(),
    foreign: foreignCartItem(),
  },
  'GET /api/v1/orders/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return { path: '/api/v1/orders/', data: [await orderView(world, order_id)] }
    },
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/orders/{order_id}/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return { path: `/api/v1/orders/${order_id}/`, data: await orderView(world, order_id) }
    },
    refusals: { order_not_found: orderNotFound },
    foreign: foreignOrder(),
  },
  'PUT /api/v1/orders/': {
    success: async ({ shop }) => {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 3 })
      return {
        path: '/api/v1/orders/',
        form: { cart_group_key: await shop.groupKey(cart_id), ...address, room: '3' },
        data: { created_order_id: anyId },
      }
    },
    refusals: {
      country_code_unknown: ordering({ item_id: 1, quantity: 1 }, async () => ({ country_code: 'XX' }), {
        country_code: 'XX',
      }),
      region_code_unknown: ordering(
        { item_id: 1, quantity: 1 },
        async () => ({ region_code: 'FR-75', country_code: 'DE' }),
        {
          region_code: 'FR-75',
        },
      ),
      cart_group_not_found: ordering({ item_id: 1, quantity: 1 }, async ({ shop }, { cart_id, key }) => {
        await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
        return { cart_group_key: key }
      }),
      cart_group_changed: ordering({ item_id: 1, quantity: 1 }, async ({ shop }, { cart_id }) => {
        await shop.add(cart_id, { item_id: 1, quantity: 1 })
        return {
          cart_group_key: await shop.groupKey(cart_id),
          changed: ['lines'],
          cart_items: [{ item_id: 1, quantity: 2, price: 10 }],
        }
      }),
      cart_group_already_ordered: ordering(
        { item_id: 1, quantity: 1 },
        async ({ shop }, { key }) => ({
          order_id: (await shop.ok('PUT', '/api/v1/orders/', { cart_group_key: key, ...address })).created_order_id,
        }),
        { city: 'Potsdam' },
      ),
      item_not_on_sale: ordering({ item_id: 4, quantity: 1 }, async ({ service }) => {
        await service.sql('update items set on_sale = false where item_id = 4')
        return { item_id: 4 }
      }),
      item_not_priced: ordering({ item_id: 6, quantity: 1, contract: 'special' }, async ({ service, me }) => {
        await service.sql('delete from prices where price_list_id = 2 and item_id = 6')
        return { item_id: 6, contract_id: me.special_contract_id }
      }),
      stock_not_serving: ordering({ item_id: 1, quantity: 1, stock_id: 2 }, async ({ service, me }) => {
        await service.sql('delete from client_stocks where client_id = $1 and stock_id = 2', [me.client_id])
        return { stock_id: 2 }
      }),
      out_of_stock: ordering({ item_id: 3, quantity: 6 }, async () => ({
        item_id: 3,
        stock_id: 1,
        available: 5,
        requested: 6,
      })),
      contract_limit_exceeded: ordering({ item_id: 2, quantity: 400, contract: 'limited' }, async ({ me }) => ({
        contract_id: me.limited_contract_id,
        limit: 1000,
        used: 0,
        requested: 1045,
      })),
      order_total_too_large: ordering({ item_id: 2, quantity: 1_000_000, contract: 'special' }, async () => ({
        total_max: 999_999_999_999.999,
      })),
    },
    foreign: async (other) => {
      const { cart_id } = await filledCart(other)
      const key = await other.shop.groupKey(cart_id)
      const wish = (cart_group_key: string): CaseRequest => ({
        path: '/api/v1/orders/',
        form: { cart_group_key, ...address },
      })
      return [[wish(key), wish(key.replace(/^\d+/, String(unknownId)))]]
    },
  },
  'PATCH /api/v1/orders/{order_id}/': {
    success: async (world) => {
      const { order_id } = await order(world)
      const view = await orderView(world, order_id)
      return {
        path: `/api/v1/orders/${order_id}/`,
        form: { shipping_date: day(7) },
        data: {
          ...view,
          order_shipping_datetime: `${day(7)} 00:00:00`,
          order_history: [entry('Change of shipping date', 'New', 'new', day(7)), created],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({ ...(await orderNotFound()), form: { shipping_date: day(7) } }),
      shipping_date_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/api/v1/orders/${order_id}/`,
          form: { shipping_date: day(91) },
          details: {
            shipping_date: day(91),
            earliest_date: day(0),
            latest_date: day(90),
            order_state_id: 'new',
            reschedulable: true,
          },
        }
      },
      order_history_full: async (world) => {
        const { order_id } = await order(world)
        await world.service.sql(
          `with counted as (update orders set history_count = 200 where order_id = $1 returning client_id, order_id)
           insert into order_history (client_id, order_id, entry, "group", state_id)
           select client_id, order_id, n, 'Change of shipping date', 'new' from counted, generate_series(2, 200) n`,
          [order_id],
        )
        return {
          path: `/api/v1/orders/${order_id}/`,
          form: { shipping_date: day(7) },
          details: { order_id, limit: 200 },
        }
      },
    },
    foreign: foreignOrder('', { shipping_date: day(7) }),
  },
  'DELETE /api/v1/orders/{order_id}/': {
    success: async (world) => {
      const { order_id } = await order(world)
      const { order_contact_id: _, ...view } = await orderView(world, order_id)
      return {
        path: `/api/v1/orders/${order_id}/`,
        data: {
          ...view,
          order_number: null,
          order_contract: null,
          order_value: 'Cancellation requested',
          order_state_id: 'zayavka-na-otmen',
          order_history: [entry('Change of status', 'Cancellation requested', 'zayavka-na-otmen'), created],
        },
      }
    },
    refusals: {
      order_not_found: orderNotFound,
      order_not_cancellable: async (world) => {
        const { order_id } = await orderInState(world, 'shipped')
        return { path: `/api/v1/orders/${order_id}/`, details: { order_id, order_state_id: 'shipped' } }
      },
    },
    foreign: foreignOrder(),
  },
  'GET /api/v1/orders/{order_id}/items/': {
    success: async (world) => {
      const { order_id, order_item_id } = await order(world)
      return {
        path: `/api/v1/orders/${order_id}/items/`,
        data: [{ order_item_id, order_item_quantity: 3, order_item_price: 10, order_item: disc }],
      }
    },
    refusals: {
      order_not_found: async () => ({ path: `/api/v1/orders/${unknownId}/items/`, details: { order_id: unknownId } }),
    },
    foreign: foreignOrder('items/'),
  },
  'PATCH /api/v1/orders/{order_id}/items/{order_item_id}/': {
    success: async (world) => {
      const { order_id, order_item_id } = await order(world)
      return {
        path: `/api/v1/orders/${order_id}/items/${order_item_id}/`,
        form: { quantity: 0 },
        data: adjustmentView(order_id, anyId),
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/api/v1/orders/${unknownId}/items/1/`,
        form: { quantity: 2 },
        details: { order_id: unknownId },
      }),
      order_item_not_found: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/api/v1/orders/${order_id}/items/${unknownId}/`,
          form: { quantity: 2 },
          details: { order_id, order_item_id: unknownId },
        }
      },
      order_not_adjustable: async (world) => {
        const { order_id, order_item_id } = await orderInState(world, 'fulfilling')
        return {
          path: `/api/v1/orders/${order_id}/items/${order_item_id}/`,
          form: { quantity: 2 },
          details: { order_id, order_state_id: 'fulfilling' },
        }
      },
      quantity_unchanged: async (world) => {
        const { order_id, order_item_id } = await order(world)
        return {
          path: `/api/v1/orders/${order_id}/items/${order_item_id}/`,
          form: { quantity: 3 },
          details: { order_item_id, quantity: 3 },
        }
      },
    },
    foreign: async (other, own) => {
      const theirs = await order(other)
      const { order_id } = await order(own)
      const wish = (line: number): CaseRequest => ({
        path: `/api/v1/orders/${order_id}/items/${line}/`,
        form: { quantity: 2 },
      })
      const line = (order: number): CaseRequest => ({
        path: `/api/v1/orders/${order}/items/${theirs.order_item_id}/`,
        form: { quantity: 2 },
      })
      return [
        [wish(theirs.order_item_id), wish(unknownId)],
        [line(theirs.order_id), line(unknownId)],
      ]
    },
  },
  'GET /api/v1/orders/{order_id}/adjustments/': {
    success: async (world) => {
      const { order_id, adjustment_id } = await adjustment(world)
      return { path: `/api/v1/orders/${order_id}/adjustments/`, data: [adjustmentView(order_id, adjustment_id)] }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/api/v1/orders/${unknownId}/adjustments/`,
        details: { order_id: unknownId },
      }),
    },
    foreign: foreignOrder('adjustments/'),
  },
  'GET /api/v1/orders/{order_id}/adjustments/{adjustment_id}/': {
    success: async (world) => {
      const { order_id, adjustment_id } = await adjustment(world)
      return {
        path: `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`,
        data: adjustmentView(order_id, adjustment_id),
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/api/v1/orders/${unknownId}/adjustments/1/`,
        details: { order_id: unknownId },
      }),
      adjustment_not_found: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/api/v1/orders/${order_id}/adjustments/${unknownId}/`,
          details: { order_id, adjustment_id: unknownId },
        }
      },
    },
    foreign: async (other, own) => {
      const theirs = await adjustment(other)
      const { order_id } = await order(own)
      const wish = (id: number): CaseRequest => ({ path: `/api/v1/orders/${order_id}/adjustments/${id}/` })
      const of = (order: number): CaseRequest => ({
        path: `/api/v1/orders/${order}/adjustments/${theirs.adjustment_id}/`,
      })
      return [
        [wish(theirs.adjustment_id), wish(unknownId)],
        [of(theirs.order_id), of(unknownId)],
      ]
    },
  },
  'GET /api/v1/events/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: '/api/v1/events/?after=1', // After that of its key.
        data: [
          {
            event_number: 2,
            event_type: 'order.created',
            event_datetime: at,
            order_id,
            data: await orderView(world, order_id),
          },
        ],
      }
    },
    refusals: {
      events_expired: async ({ service, me }) => {
        await service.sql(
          `with expired as (delete from events where client_id = $1)
           update clients set event_number = 1, first_event_number = 2 where client_id = $1`,
          [me.client_id],
        )
        return { path: '/api/v1/events/?after=0', details: { after: 0, first_event_number: 2 } }
      },
      event_number_ahead: async () => ({
        path: '/api/v1/events/?after=2&wait=20',
        details: { after: 2, last_event_number: 1 },
      }),
    },
    foreign: 'has no ids',
  },
}
