import { operatorView } from './operator-routes.cases.ts'
import type { OperatorCases } from '../testing/cases.ts'
import { historyCreated, historyEntry, order } from '../testing/orders.ts'
import { unknownId } from '../testing/world.ts'

const note = { text: 'Call before loading.', internal: true }

export const correctionCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/notes/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/notes/`,
        json: { ...note, internal: false },
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [historyEntry('Note', 'New', 'new', 'Call before loading.'), historyCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/notes/`,
        json: note,
        details: { order_id: unknownId },
      }),
      order_notes_full: async (world) => {
        const { order_id } = await order(world)
        await world.service.sql(
          `insert into order_notes (client_id, order_id, note_author, note_text, request_id)
           select $1, $2, 'test', 'n', 'test' from generate_series(1, 100)`,
          [world.me.client_id, order_id],
        )
        return { path: `/operator/v1/orders/${order_id}/notes/`, json: note, details: { order_id, limit: 100 } }
      },
      order_history_full: async (world) => {
        const { order_id } = await order(world)
        await world.service.sql(
          `with full_order as (update orders set history_count = 200 where order_id = $1 returning client_id, order_id)
           insert into order_history (client_id, order_id, entry, "group", state_id)
           select client_id, order_id, n, 'Note', 'new' from full_order, generate_series(2, 200) n`,
          [order_id],
        )
        return {
          path: `/operator/v1/orders/${order_id}/notes/`,
          json: { ...note, internal: false },
          details: { order_id, limit: 200 },
        }
      },
    },
  },
}
