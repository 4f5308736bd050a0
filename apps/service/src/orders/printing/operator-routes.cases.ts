import { type OperatorWorld } from '../../testing/operators.ts'
import { operatorView, fulfilled, overdue } from '../operator-shared.cases.ts'
import type { OperatorCases } from '../../testing/cases.ts'
import { shownAddress } from '../../testing/fixtures.ts'
import { anyId, at } from '../../testing/mask-volatile.ts'
import { disc } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'

/** Holds what other cases left to pick. */
async function holdEverything({ operators }: OperatorWorld): Promise<void> {
  for (;;) {
    const left = await operators.ok('GET', '/operator/v1/stocks/1/pick-list/')
    if (left.length === 0) return
    for (const { order_id } of left) await operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
  }
}

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
          address: shownAddress,
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
  'GET /operator/v1/stocks/{stock_id}/pick-list/': {
    success: async (world) => {
      await holdEverything(world)
      const [part, held] = [await fulfilled(world), await fulfilled(world)]
      const lines = [{ order_item_id: part.order_item_id, quantity: 2 }]
      await world.operators.ok('POST', `/operator/v1/orders/${part.order_id}/shipments/`, { lines })
      await world.operators.ok('POST', `/operator/v1/orders/${held.order_id}/hold/`, overdue)
      const { order_number, client_name } = await operatorView(world, part.order_id)
      const { order_item: item } = (await operatorView(world, part.order_id)).items[0] ?? {}
      return {
        path: '/operator/v1/stocks/1/pick-list/',
        data: [
          {
            order_id: part.order_id,
            order_number,
            client_name,
            shipping_date: null,
            comment: null,
            lines: [{ order_item_id: part.order_item_id, quantity: 1, item }],
          },
        ],
      }
    },
    refusals: {
      stock_not_found: async () => ({
        path: `/operator/v1/stocks/${unknownId}/pick-list/`,
        details: { stock_id: unknownId },
      }),
    },
  },
}
