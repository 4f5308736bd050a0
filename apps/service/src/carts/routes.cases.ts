import { cartRowCases } from './tables/rows.cases.ts'
import type { CaseRequest, ForeignPair, RefusalCase, RouteCases } from '../testing/cases.ts'
import { anyId } from '../testing/mask-volatile.ts'
import { berlin, disc, filledCart, standardContract } from '../testing/orders.ts'
import { addPackedItem, packRules } from '../testing/stock.ts'
import { unknownId, type World } from '../testing/world.ts'

const cartNotFound = async (): Promise<RefusalCase> => ({
  path: `/api/v1/carts/${unknownId}/`,
  details: { cart_id: unknownId },
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

/** The other client's line, requested in the own cart and in the other client's cart. */
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

/** A request that adds a line, with one field changed. */
const adding =
  (change: (world: World) => CaseRequest['form'], details: (world: World) => Record<string, unknown>) =>
  async (world: World): Promise<RefusalCase> => {
    const cart_id = await world.shop.createCart()
    return {
      path: `/api/v1/carts/${cart_id}/items/`,
      form: { item_id: 1, stock_id: 1, quantity: 1, ...change(world) },
      details: details(world),
    }
  }

export const cartCases: Record<string, RouteCases> = {
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
          `with made as (insert into carts (client_id, cart_name) select $1, 'c' from generate_series(1, 1000))
           update clients set cart_count = 1000 where client_id = $1`,
          [me.client_id],
        )
        return { path: '/api/v1/carts/', form: { name: 'One more' }, details: { limit: 1000 } }
      },
      idempotency_key_used: async ({ service, me }) => {
        const request = { path: '/api/v1/carts/', headers: { 'idempotency-key': 'monday' } }
        await service.request('PUT', request.path, { key: me.key, headers: request.headers, form: { name: 'Monday' } })
        return { ...request, form: { name: 'Tuesday' }, details: { idempotency_key: 'monday' } }
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
      quantity_not_allowed: async ({ service, shop }) => {
        const item_id = await addPackedItem(service)
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id, quantity: 20 })
        return {
          path: `/api/v1/carts/${cart_id}/items/`,
          form: { item_id, stock_id: 1, quantity: 3 },
          details: { item_id, quantity: 23, next_quantity: 30, ...packRules },
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
        const request = { path: `/api/v1/carts/${cart_id}/items/`, headers: { 'idempotency-key': 'discs' } }
        const form = { item_id: 1, stock_id: 1, quantity: 1 }
        await world.service.request('PUT', request.path, { key: world.me.key, headers: request.headers, form })
        return { ...request, form: { ...form, quantity: 2 }, details: { idempotency_key: 'discs' } }
      },
    },
    foreign: async (other, own) => {
      const cart_id = await own.shop.createCart()
      const withContract = (contract_id: number): CaseRequest => ({
        path: `/api/v1/carts/${cart_id}/items/`,
        form: { item_id: 1, stock_id: 1, quantity: 1, contract_id },
      })
      const theirs = await filledCart(other)
      const into = (cart: number): CaseRequest => ({
        ...withContract(own.me.contract_id),
        path: `/api/v1/carts/${cart}/items/`,
      })
      return [
        [withContract(other.me.contract_id), withContract(unknownId)],
        [into(theirs.cart_id), into(unknownId)],
      ]
    },
  },
  ...cartRowCases,
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
    refusals: {
      ...cartItemRefusals({ quantity: 7 }),
      quantity_not_allowed: async ({ service, shop }) => {
        const item_id = await addPackedItem(service)
        const cart_id = await shop.createCart()
        const line = await shop.add(cart_id, { item_id, quantity: 20 })
        return {
          path: `/api/v1/carts/${cart_id}/items/${line}/`,
          form: { quantity: 7 },
          details: { item_id, quantity: 7, next_quantity: 20, ...packRules },
        }
      },
    },
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
}
