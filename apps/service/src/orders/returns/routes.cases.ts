import type { CaseRequest, RouteCases } from '../../testing/cases.ts'
import { anyId, at } from '../../testing/mask-volatile.ts'
import { orderInState, requestedReturn, requestedReturnView, shipPart } from '../../testing/orders.ts'
import { unknownId, type World } from '../../testing/world.ts'

const pathOf = (order_id: number): string => `/api/v1/orders/${order_id}/return-requests/`

const formOf = (order_item_id: number, quantity = 1) => ({
  lines: JSON.stringify([{ order_item_id, quantity }]),
  reason: 'Does not fit.',
})

/** Three brake discs, of which two are shipped. */
async function partlyShipped(world: World): Promise<{ order_id: number; order_item_id: number; path: string }> {
  const { order_id, order_item_id } = await orderInState(world, 'fulfilling')
  await shipPart(world, order_id, 2)
  return { order_id, order_item_id, path: pathOf(order_id) }
}

export const returnCases: Record<string, RouteCases> = {
  'PUT /api/v1/orders/{order_id}/return-requests/': {
    success: async (world) => {
      const { order_id, order_item_id, path } = await partlyShipped(world)
      return {
        path,
        form: formOf(order_item_id),
        data: { ...requestedReturnView({ order_id, order_item_id, return_request_id: 0 }), return_request_id: anyId },
      }
    },
    refusals: {
      order_not_found: async () => ({ path: pathOf(unknownId), form: formOf(1), details: { order_id: unknownId } }),
      order_item_not_found: async (world) => {
        const { order_id, path } = await partlyShipped(world)
        return { path, form: formOf(unknownId), details: { order_id, order_item_id: unknownId } }
      },
      quantity_not_returnable: async (world) => {
        const { order_id, order_item_id } = await requestedReturn(world)
        return {
          path: pathOf(order_id),
          form: formOf(order_item_id, 2),
          details: { order_item_id, returnable: 1, requested: 2 },
        }
      },
      return_requests_full: async (world) => {
        const { order_id, order_item_id, path } = await partlyShipped(world)
        await world.service.sql(
          `insert into return_requests (client_id, order_id, reason, request_status, decided_at)
           select $1, $2, 'n', 'CANCELED', now() from generate_series(1, 100)`,
          [world.me.client_id, order_id],
        )
        return { path, form: formOf(order_item_id), details: { order_id, limit: 100 } }
      },
      idempotency_key_used: async (world) => {
        const { order_item_id, path } = await partlyShipped(world)
        const request = { path, headers: { 'idempotency-key': 'back' } }
        const { service, me } = world
        await service.request('PUT', path, { key: me.key, headers: request.headers, form: formOf(order_item_id) })
        return { ...request, form: formOf(order_item_id, 2), details: { idempotency_key: 'back' } }
      },
    },
    foreign: async (other, own) => {
      const theirs = await partlyShipped(other)
      const { path } = await partlyShipped(own)
      const withLine = (line: number): CaseRequest => ({ path, form: formOf(line) })
      const ofOrder = (order: number): CaseRequest => ({ path: pathOf(order), form: formOf(theirs.order_item_id) })
      return [
        [withLine(theirs.order_item_id), withLine(unknownId)],
        [ofOrder(theirs.order_id), ofOrder(unknownId)],
      ]
    },
  },
  'DELETE /api/v1/orders/{order_id}/return-requests/{return_request_id}/': {
    success: async (world) => {
      const requested = await requestedReturn(world)
      return {
        path: `${pathOf(requested.order_id)}${requested.return_request_id}/`,
        data: {
          ...requestedReturnView(requested),
          request_status: 'CANCELED',
          canceled_message: 'Withdrawn by the client.',
          decided_by: 'client',
          decided_at: at,
        },
      }
    },
    refusals: {
      order_not_found: async () => ({ path: `${pathOf(unknownId)}1/`, details: { order_id: unknownId } }),
      return_request_not_found: async (world) => {
        const { order_id } = await requestedReturn(world)
        const details = { order_id, return_request_id: unknownId }
        return { path: `${pathOf(order_id)}${unknownId}/`, details }
      },
      return_request_decided: async (world) => {
        const { order_id, return_request_id } = await requestedReturn(world)
        await world.service.sql(
          `update return_requests set request_status = 'ACCEPTED', decided_at = now() where return_request_id = $1`,
          [return_request_id],
        )
        return {
          path: `${pathOf(order_id)}${return_request_id}/`,
          details: { return_request_id, request_status: 'ACCEPTED', canceled_message: null },
        }
      },
    },
    foreign: async (other, own) => {
      const [theirs, mine] = [await requestedReturn(other), await requestedReturn(own)]
      return [
        [
          { path: `${pathOf(mine.order_id)}${theirs.return_request_id}/` },
          { path: `${pathOf(mine.order_id)}${unknownId}/` },
        ],
        [
          { path: `${pathOf(theirs.order_id)}${theirs.return_request_id}/` },
          { path: `${pathOf(unknownId)}${theirs.return_request_id}/` },
        ],
      ]
    },
  },
}
