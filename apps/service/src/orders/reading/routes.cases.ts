import type { RouteCases } from '../../testing/cases.ts'
import { adjustment, adjustmentView, disc, order, orderView } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'
import { orderNotFound, foreignOrder, adjustmentPath, adjustmentMissing, foreignAdjustment } from '../shared.cases.ts'

export const readingCases: Record<string, RouteCases> = {
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
}
