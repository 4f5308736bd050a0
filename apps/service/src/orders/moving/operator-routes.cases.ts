import type { OperatorCases } from '../../testing/cases.ts'
import { availableDiscs, order, shipPart, virtualOrder } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'
import {
  entryByOperator,
  entryCreated,
  moveTo,
  operatorView,
  orderOf,
  overdue,
  released,
} from '../operator-shared.cases.ts'

export const movingCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/move/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/move/`,
        json: { state_id: 'canceled', text: 'Sold out.' },
        data: {
          ...(await operatorView(world, order_id, released)),
          order_state_id: 'canceled',
          order_history: [entryByOperator('Change of status', 'Cancelled', 'canceled', 'Sold out.'), entryCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/move/`,
        json: { state_id: 'processing' },
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_held: async (world) => {
        const { order_id } = await order(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'processing' },
          details: { order_id, hold_reason: 'Payment is overdue.' },
        }
      },
      order_partly_shipped: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling')
        await shipPart(world, order_id, 2)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'processing' },
          details: { order_id },
        }
      },
      order_is_virtual: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 1 })
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { order_id },
        }
      },
      goods_missing: async (world) => {
        const order_id = await orderOf(world, { item_id: 4, quantity: 2 }) // A back-order: none is on hand.
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { item_id: 4, stock_id: 1, on_hand: 0, needed: 2 },
        }
      },
    },
  },
  'POST /operator/v1/orders/move/': {
    success: async (world) => {
      const [first, second] = [await order(world), await order(world)]
      await world.operators.ok('POST', `/operator/v1/orders/${second.order_id}/move/`, {
        state_id: 'canceled',
        text: 'Sold out.',
      })
      const refused = {
        order_id: second.order_id,
        order_state_id: 'canceled',
        state_id: 'processing',
        possible: [],
      }
      return {
        path: '/operator/v1/orders/move/',
        json: { order_ids: [second.order_id, unknownId, first.order_id], state_id: 'processing' },
        data: [
          {
            order_id: second.order_id,
            moved: false,
            order_state_id: null,
            errors: [
              {
                code: 'order_move_refused',
                message: `Order ${second.order_id} cannot move from 'canceled' to 'processing'. Possible: none.`,
                details: refused,
              },
            ],
          },
          {
            order_id: unknownId,
            moved: false,
            order_state_id: null,
            errors: [
              {
                code: 'order_not_found',
                message: `No such order: ${unknownId}.`,
                details: { order_id: unknownId },
              },
            ],
          },
          { order_id: first.order_id, moved: true, order_state_id: 'processing', errors: [] },
        ],
      }
    },
    refusals: {},
  },
  'POST /operator/v1/orders/{order_id}/hold/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/hold/`,
        json: overdue,
        data: {
          ...(await operatorView(world, order_id)),
          hold_reason: 'Payment is overdue.',
          order_history: [entryByOperator('Hold', 'New', 'new', 'Payment is overdue.'), entryCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/hold/`,
        json: overdue,
        details: { order_id: unknownId },
      }),
      order_not_holdable: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling', 'shipped')
        return {
          path: `/operator/v1/orders/${order_id}/hold/`,
          json: overdue,
          details: { order_id, order_state_id: 'shipped' },
        }
      },
    },
  },
  'POST /operator/v1/orders/{order_id}/release/': {
    success: async (world) => {
      const { order_id } = await order(world)
      await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
      return {
        path: `/operator/v1/orders/${order_id}/release/`,
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [
            entryByOperator('Release', 'New', 'new'),
            entryByOperator('Hold', 'New', 'new', 'Payment is overdue.'),
            entryCreated,
          ],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/release/`,
        details: { order_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/orders/{order_id}/clear-virtual/': {
    success: async (world) => {
      const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
      return {
        path: `/operator/v1/orders/${order_id}/clear-virtual/`,
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [entryByOperator('Change of reservation', 'New', 'new'), entryCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/clear-virtual/`,
        details: { order_id: unknownId },
      }),
      virtual_not_clearable: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
        await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
        return {
          path: `/operator/v1/orders/${order_id}/clear-virtual/`,
          details: { order_id, order_state_id: 'zayavka-na-otmen' },
        }
      },
      out_of_stock: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 500_000 })
        return {
          path: `/operator/v1/orders/${order_id}/clear-virtual/`,
          details: { item_id: 1, stock_id: 1, available: await availableDiscs(world), requested: 500_000 },
        }
      },
    },
  },
}
