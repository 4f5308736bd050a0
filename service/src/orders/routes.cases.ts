import type { CaseRequest, ForeignPair, RefusalCase, RouteCases } from '../testing/cases.ts'
import { address } from '../testing/fixtures.ts'
import { anyId } from '../testing/mask-volatile.ts'
import {
  adjustment,
  adjustmentView,
  historyCreated,
  disc,
  historyEntry,
  filledCart,
  order,
  orderInState,
  partlyShippedOrder,
  orderView,
} from '../testing/orders.ts'
import { day, unknownId, type World } from '../testing/world.ts'

const orderNotFound = async (): Promise<RefusalCase> => ({
  path: `/api/v1/orders/${unknownId}/`,
  details: { order_id: unknownId },
})

const withForm = (path: string, form: CaseRequest['form']): CaseRequest => ({
  path,
  ...(form === undefined ? {} : { form }),
})

const foreignOrder =
  (rest = '', form?: CaseRequest['form']) =>
  async (other: World): Promise<ForeignPair[]> => {
    const { order_id } = await order(other)
    return [
      [withForm(`/api/v1/orders/${order_id}/${rest}`, form), withForm(`/api/v1/orders/${unknownId}/${rest}`, form)],
    ]
  }

/** A request that orders a cart after `then` has changed something. */
const ordering =
  (
    line: { item_id: number; quantity: number; stock_id?: number } & { contract?: 'limited' | 'special' },
    then: (world: World, cart: { cart_id: number; key: string }) => Promise<Record<string, unknown>>,
    change: Record<string, string> = {},
  ) =>
  async (world: World): Promise<RefusalCase> => {
    const { contract, ...cartLine } = line
    const contract_id =
      contract === 'limited'
        ? world.me.limited_contract_id
        : contract === 'special'
          ? world.me.special_contract_id
          : undefined
    const cart_id = await world.shop.createCart()
    await world.shop.add(cart_id, { ...cartLine, ...(contract_id === undefined ? {} : { contract_id }) })
    const key = await world.shop.groupKey(cart_id)
    const details = await then(world, { cart_id, key })
    return { path: '/api/v1/orders/', form: { cart_group_key: key, ...address, ...change }, details }
  }

const adjustmentPath = (order_id: number, adjustment_id: number): string =>
  `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`

const adjustmentMissing: RouteCases['refusals'] = {
  order_not_found: async () => ({ path: adjustmentPath(unknownId, 1), details: { order_id: unknownId } }),
  adjustment_not_found: async (world) => {
    const { order_id } = await order(world)
    return { path: adjustmentPath(order_id, unknownId), details: { order_id, adjustment_id: unknownId } }
  },
}

async function foreignAdjustment(other: World, own: World): Promise<ForeignPair[]> {
  const theirs = await adjustment(other)
  const { order_id } = await order(own)
  return [
    [{ path: adjustmentPath(order_id, theirs.adjustment_id) }, { path: adjustmentPath(order_id, unknownId) }],
    [
      { path: adjustmentPath(theirs.order_id, theirs.adjustment_id) },
      { path: adjustmentPath(unknownId, theirs.adjustment_id) },
    ],
  ]
}

export const orderCases: Record<string, RouteCases> = {
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
      reference_used: ordering(
        { item_id: 1, quantity: 1 },
        async ({ service, shop, me }) => {
          await service.sql('update clients set unique_references = true where client_id = $1', [me.client_id])
          const cart_id = await shop.createCart()
          await shop.add(cart_id, { item_id: 1, quantity: 1 })
          const form = { cart_group_key: await shop.groupKey(cart_id), ...address, reference: 'PO-1' }
          return { reference: 'PO-1', order_id: (await shop.ok('PUT', '/api/v1/orders/', form)).created_order_id }
        },
        { reference: 'PO-1' },
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
      client_blocked: ordering({ item_id: 1, quantity: 1 }, async ({ service, me }) => {
        await service.sql("update clients set block_reason = 'Unpaid.' where client_id = $1", [me.client_id])
        return { block_reason: 'Unpaid.' }
      }),
      contract_blocked: ordering({ item_id: 1, quantity: 1 }, async ({ service, me }) => {
        await service.sql("update contracts set block_reason = 'Unpaid.' where contract_id = $1", [me.contract_id])
        return { contract_id: me.contract_id, block_reason: 'Unpaid.' }
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
      const withKey = (cart_group_key: string): CaseRequest => ({
        path: '/api/v1/orders/',
        form: { cart_group_key, ...address },
      })
      return [[withKey(key), withKey(key.replace(/^\d+/, String(unknownId)))]]
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
          order_history: [historyEntry('Change of shipping date', 'New', 'new', day(7)), historyCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({ ...(await orderNotFound()), form: { shipping_date: day(7) } }),
      shipping_date_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/api/v1/orders/${order_id}/`,
          form: { shipping_date: day(3651) },
          details: {
            shipping_date: day(3651),
            earliest_date: day(0),
            latest_date: day(3650),
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
          order_history: [
            historyEntry('Change of status', 'Cancellation requested', 'zayavka-na-otmen'),
            historyCreated,
          ],
        },
      }
    },
    refusals: {
      order_not_found: orderNotFound,
      order_not_cancellable: async (world) => {
        const { order_id } = await orderInState(world, 'shipped')
        return { path: `/api/v1/orders/${order_id}/`, details: { order_id, order_state_id: 'shipped' } }
      },
      order_partly_shipped: async (world) => {
        const order_id = await partlyShippedOrder(world)
        return { path: `/api/v1/orders/${order_id}/`, details: { order_id } }
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
    },
    foreign: async (other, own) => {
      const theirs = await order(other)
      const { order_id } = await order(own)
      const withLine = (line: number): CaseRequest => ({
        path: `/api/v1/orders/${order_id}/items/${line}/`,
        form: { quantity: 2 },
      })
      const ofOrder = (order: number): CaseRequest => ({
        path: `/api/v1/orders/${order}/items/${theirs.order_item_id}/`,
        form: { quantity: 2 },
      })
      return [
        [withLine(theirs.order_item_id), withLine(unknownId)],
        [ofOrder(theirs.order_id), ofOrder(unknownId)],
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
      return { path: adjustmentPath(order_id, adjustment_id), data: adjustmentView(order_id, adjustment_id) }
    },
    refusals: adjustmentMissing,
    foreign: foreignAdjustment,
  },
  'DELETE /api/v1/orders/{order_id}/adjustments/{adjustment_id}/': {
    success: async (world) => {
      const { order_id, adjustment_id } = await adjustment(world)
      return {
        path: adjustmentPath(order_id, adjustment_id),
        data: {
          ...adjustmentView(order_id, adjustment_id),
          adjustment_status: 'CANCELED',
          adjustment_canceled_message: 'Withdrawn by the client.',
        },
      }
    },
    refusals: {
      ...adjustmentMissing,
      adjustment_decided: async (world) => {
        const { order_id, order_item_id, adjustment_id } = await adjustment(world)
        const { adjustment_id: next } = await world.shop.ok(
          'PATCH',
          `/api/v1/orders/${order_id}/items/${order_item_id}/`,
          { quantity: 1 },
        )
        return {
          path: adjustmentPath(order_id, adjustment_id),
          details: {
            adjustment_id,
            adjustment_status: 'CANCELED',
            adjustment_canceled_message: `Superseded by adjustment ${next}.`,
          },
        }
      },
    },
    foreign: foreignAdjustment,
  },
}
