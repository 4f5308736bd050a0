import type { OperatorCases } from '../../testing/cases.ts'
import { anyId, at } from '../../testing/mask-volatile.ts'
import { withUsedKey } from '../../testing/operators.ts'
import { order, partlyShippedOrder, virtualOrder } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'
import {
  entryByOperator,
  fulfilled,
  historyMoved,
  moveTo,
  operatorView,
  orderOf,
  overdue,
} from '../operator-shared.cases.ts'

const soldOut = { reason: 'Sold out.' }

export const shippingCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/shipments/': {
    success: async (world) => {
      const { order_id, order_item_id } = await fulfilled(world)
      const lines = [{ order_item_id, quantity: 2 }]
      return {
        path: `/operator/v1/orders/${order_id}/shipments/`,
        json: { lines, carrier: 'DHL', tracking: '0034' },
        data: {
          ...(await operatorView(world, order_id, { shipped: 2, open: 1 })),
          order_state_id: 'fulfilling',
          order_shipping_datetime: at,
          order_history: [entryByOperator('Shipment', 'Being assembled', 'fulfilling', 'DHL 0034'), ...historyMoved],
          shipments: [{ shipment_id: anyId, shipment_datetime: at, carrier: 'DHL', tracking: '0034', lines }],
        },
      }
    },
    refusals: {
      idempotency_key_used: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const lines = [{ order_item_id, quantity: 1 }]
        const path = `/operator/v1/orders/${order_id}/shipments/`
        return withUsedKey(world, path, { first: { lines }, second: { lines, carrier: 'DHL' } })
      },
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/shipments/`,
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_held: async (world) => {
        const { order_id } = await fulfilled(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          details: { order_id, hold_reason: 'Payment is overdue.' },
        }
      },
      order_is_virtual: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 1 })
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return { path: `/operator/v1/orders/${order_id}/shipments/`, details: { order_id } }
      },
      order_item_not_found: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          json: {
            lines: [
              { order_item_id: unknownId, quantity: 1 },
              { order_item_id, quantity: 1 },
            ],
          },
          details: { order_id, order_item_id: unknownId },
        }
      },
      quantity_not_open: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const path = `/operator/v1/orders/${order_id}/shipments/`
        await world.operators.ok('POST', path, { lines: [{ order_item_id, quantity: 2 }] })
        return {
          path,
          json: { lines: [{ order_item_id, quantity: 2 }] },
          details: { order_item_id, open: 1, requested: 2 },
        }
      },
      expected_differs: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const path = `/operator/v1/orders/${order_id}/shipments/`
        await world.operators.ok('POST', path, { lines: [{ order_item_id, quantity: 1 }], expected: 3 })
        return { path, json: { expected: 3 }, details: { figure: 'open', expected: 3, present: 2 } }
      },
      goods_missing: async (world) => {
        const order_id = await orderOf(world, { item_id: 4, quantity: 2 }) // A back-order: none is on hand.
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          details: { item_id: 4, stock_id: 1, on_hand: 0, needed: 2 },
        }
      },
    },
  },
  'POST /operator/v1/orders/{order_id}/close-open/': {
    success: async (world) => {
      const { order_id, order_item_id } = await fulfilled(world)
      const lines = [{ order_item_id, quantity: 2 }]
      await world.operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, { lines })
      const view = await operatorView(world, order_id, { shipped: 2, open: 0 })
      return {
        path: `/operator/v1/orders/${order_id}/close-open/`,
        json: soldOut,
        data: {
          ...view,
          order_state_id: 'shipped',
          order_total: 20,
          order_tax: 3.33,
          order_shipping_datetime: at,
          order_history: [
            entryByOperator('Change of status', 'Shipped', 'shipped'),
            entryByOperator('Change of items', 'Being assembled', 'fulfilling', 'Sold out.'),
            entryByOperator('Shipment', 'Being assembled', 'fulfilling'),
            ...historyMoved,
          ],
          items: [{ ...view.items[0], order_item_quantity: 2 }],
          shipments: [{ shipment_id: anyId, shipment_datetime: at, carrier: null, tracking: null, lines }],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/close-open/`,
        json: soldOut,
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/close-open/`,
          json: soldOut,
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_held: async (world) => {
        const order_id = await partlyShippedOrder(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
        return {
          path: `/operator/v1/orders/${order_id}/close-open/`,
          json: soldOut,
          details: { order_id, hold_reason: 'Payment is overdue.' },
        }
      },
      nothing_shipped: async (world) => {
        const { order_id } = await fulfilled(world)
        return { path: `/operator/v1/orders/${order_id}/close-open/`, json: soldOut, details: { order_id } }
      },
      expected_differs: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const ship = { lines: [{ order_item_id, quantity: 1 }] }
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, ship)
        return {
          path: `/operator/v1/orders/${order_id}/close-open/`,
          json: { ...soldOut, expected: 3 },
          details: { figure: 'open', expected: 3, present: 2 },
        }
      },
    },
  },
}
