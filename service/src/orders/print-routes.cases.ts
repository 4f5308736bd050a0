import { fulfilled } from './operator-routes.cases.ts'
import type { OperatorCases } from '../testing/cases.ts'
import { address } from '../testing/fixtures.ts'
import { anyId, at } from '../testing/mask-volatile.ts'
import { disc } from '../testing/orders.ts'
import { unknownId } from '../testing/world.ts'

export const printCases: Record<string, OperatorCases> = {
  'GET /operator/v1/orders/{order_id}/shipments/{shipment_id}/slip/': {
    success: async (world) => {
      const { order_id, order_item_id } = await fulfilled(world)
      const lines = [{ order_item_id, quantity: 2 }]
      const path = `/operator/v1/orders/${order_id}/shipments/`
      const { order_number, client_name, shipments } = await world.operators.ok('POST', path, { lines, carrier: 'DHL' })
      return {
        path: `${path}${shipments[0].shipment_id}/slip/`,
        data: {
          order_id,
          order_number,
          order_create_datetime: at,
          reference: null,
          comment: null,
          client_name,
          contact_name: 'Anna Weber',
          address: { ...address, room: null },
          stock_name: 'Berlin',
          shipment_id: anyId,
          shipment_datetime: at,
          carrier: 'DHL',
          tracking: null,
          lines: [{ order_item_id, item: disc, ordered: 3, quantity: 2, open: 1 }],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/shipments/1/slip/`,
        details: { order_id: unknownId },
      }),
      shipment_not_found: async (world) => {
        const { order_id } = await fulfilled(world)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/${unknownId}/slip/`,
          details: { order_id, shipment_id: unknownId },
        }
      },
    },
  },
}
