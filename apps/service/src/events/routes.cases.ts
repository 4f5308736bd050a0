import type { RouteCases } from '../testing/cases.ts'
import { at } from '../testing/mask-volatile.ts'
import { fullOrderView, order } from '../testing/orders.ts'

export const eventCases: Record<string, RouteCases> = {
  'GET /api/v1/events/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: '/api/v1/events/?after=1', // The first is the event of its key.
        data: [
          {
            event_number: 2,
            event_type: 'order.created',
            event_datetime: at,
            order_id,
            data: await fullOrderView(world, order_id),
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
