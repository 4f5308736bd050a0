import type { OperatorCases } from '../../testing/cases.ts'
import { order } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'
import { operatorView } from '../operator-shared.cases.ts'

export const findingCases: Record<string, OperatorCases> = {
  'GET /operator/v1/orders/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/?client_id=${world.me.client_id}&state=new`,
        data: [await operatorView(world, order_id)],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/orders/{order_id}/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/`,
        data: { ...(await operatorView(world, order_id)), adjustments: [] },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/`,
        details: { order_id: unknownId },
      }),
    },
  },
  'GET /operator/v1/orders/{order_id}/items/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/items/`,
        data: await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`),
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/items/`,
        details: { order_id: unknownId },
      }),
    },
  },
}
