import { pageOf } from '../../vocabulary/paging.ts'
import type { OperatorCases } from '../../testing/cases.ts'
import { lastEvents } from '../../testing/events.ts'
import { anyId, anyText, at } from '../../testing/mask-volatile.ts'
import { fullOrderView, order } from '../../testing/orders.ts'

export const eventOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/log/': {
    success: async (world) => {
      const { order_id } = await order(world)
      await world.operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
      const { order_number } = await fullOrderView(world, order_id)
      const entry = {
        client_id: world.me.client_id,
        client_name: 'Garage Weber',
        event_datetime: at,
        order_id,
        order_number,
        request_id: anyText,
      }
      return {
        path: `/operator/v1/log/?order_id=${order_id}`,
        data: [
          {
            ...entry,
            event_number: 3,
            event_type: 'order.state_changed',
            actor: anyText,
            operator_id: anyId,
            changes: [{ field: 'order_state_id', order_item_id: null, old: 'new', new: 'processing' }],
          },
          {
            ...entry,
            event_number: 2, // The first is the event of its key.
            event_type: 'order.created',
            actor: `key ${world.me.key_id}`,
            operator_id: null,
            changes: [],
          },
        ],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/events/': {
    success: async (world) => {
      const { next_cursor } = await lastEvents(world.service, world.operators)
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/events/?wait=10&cursor=${next_cursor}`,
        data: {
          events: [
            {
              client_id: world.me.client_id,
              event_number: 2, // The first is the event of its key.
              event_type: 'order.created',
              event_datetime: at,
              order_id,
              data: await fullOrderView(world, order_id),
              actor: `key ${world.me.key_id}`,
              operator_id: null,
              request_id: anyText,
            },
          ],
          next_cursor: anyText,
        },
      }
    },
    refusals: {
      feed_expired: async ({ service }) => {
        // Older than every stored event.
        await service.sql(`insert into event_feed (expired_transaction, expired_client, expired_number) values ('0', 0, 1) on conflict do nothing`) // prettier-ignore
        const path = '/operator/v1/events/'
        return { path: `${path}?cursor=${pageOf({ path, params: {}, query: {} }, []).cursorAt('0-0-0-0')}` }
      },
    },
  },
}
