import type { CaseRequest, RouteCases } from '../../testing/cases.ts'
import { anyId } from '../../testing/mask-volatile.ts'
import {
  adjustment,
  adjustmentView,
  historyCreated,
  historyEntry,
  order,
  orderInState,
  partlyShippedOrder,
  orderView,
} from '../../testing/orders.ts'
import { day, unknownId } from '../../testing/world.ts'
import { orderNotFound, foreignOrder, adjustmentPath, adjustmentMissing, foreignAdjustment } from '../shared.cases.ts'

export const requestCases: Record<string, RouteCases> = {
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
          },
        }
      },
      order_not_reschedulable: async (world) => {
        const { order_id } = await orderInState(world, 'fulfilling')
        return {
          path: `/api/v1/orders/${order_id}/`,
          form: { shipping_date: day(7) },
          details: { order_id, order_state_id: 'fulfilling' },
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
