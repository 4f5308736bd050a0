import type { OperatorCases } from '../../testing/cases.ts'
import { anyText, at } from '../../testing/mask-volatile.ts'
import { requestedReturn, requestedReturnView } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'
import { clientOf, operatorView } from '../operator-shared.cases.ts'

const pathOf = (return_request_id: number, decision: string): string =>
  `/operator/v1/return-requests/${return_request_id}/${decision}/`

const refusalsOf = (decision: string, json: object): OperatorCases['refusals'] => ({
  return_request_not_found: async () => ({
    path: pathOf(unknownId, decision),
    json,
    details: { return_request_id: unknownId },
  }),
  return_request_decided: async (world) => {
    const { return_request_id } = await requestedReturn(world)
    await world.operators.ok('POST', pathOf(return_request_id, 'reject'), { message: 'No.' })
    return {
      path: pathOf(return_request_id, decision),
      json,
      details: { return_request_id, request_status: 'CANCELED', canceled_message: 'No.' },
    }
  },
  expected_differs: async (world) => {
    const { return_request_id } = await requestedReturn(world)
    return {
      path: pathOf(return_request_id, decision),
      json: { ...json, expected: 3 },
      details: { figure: 'returnable', expected: 3, present: 2 },
    }
  },
})

const toBerlin = { instruction: 'Send it to Berlin.' }
const used = { message: 'It was used.' }

export const returnDecisionCases: Record<string, OperatorCases> = {
  'GET /operator/v1/return-requests/': {
    success: async (world) => {
      const [decided, open] = [await requestedReturn(world), await requestedReturn(world)]
      await world.operators.ok('POST', pathOf(decided.return_request_id, 'reject'), used)
      const listed = async (one: typeof open) => ({
        ...clientOf(world),
        order_number: (await operatorView(world, one.order_id)).order_number,
        ...requestedReturnView(one),
      })
      return {
        path: `/operator/v1/return-requests/?client_id=${world.me.client_id}&status=WAIT,CANCELED`,
        data: [
          await listed(open),
          {
            ...(await listed(decided)),
            request_status: 'CANCELED',
            canceled_message: 'It was used.',
            decided_at: at,
            decided_by: anyText,
          },
        ],
      }
    },
    refusals: {},
  },
  'POST /operator/v1/return-requests/{return_request_id}/accept/': {
    success: async (world) => {
      const requested = await requestedReturn(world)
      return {
        path: pathOf(requested.return_request_id, 'accept'),
        json: { ...toBerlin, expected: 2 },
        data: {
          ...requestedReturnView(requested),
          request_status: 'ACCEPTED',
          instruction: 'Send it to Berlin.',
          decided_at: at,
          decided_by: anyText,
        },
      }
    },
    refusals: {
      ...refusalsOf('accept', toBerlin),
      quantity_not_returnable: async (world) => {
        const { order_id, order_item_id, return_request_id } = await requestedReturn(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/returns/`, {
          lines: [{ order_item_id, quantity: 2 }],
          reason: 'Came back.',
          restock: false,
        })
        return {
          path: pathOf(return_request_id, 'accept'),
          json: toBerlin,
          details: { order_item_id, returnable: 0, requested: 1 },
        }
      },
    },
  },
  'POST /operator/v1/return-requests/{return_request_id}/reject/': {
    success: async (world) => {
      const requested = await requestedReturn(world)
      return {
        path: pathOf(requested.return_request_id, 'reject'),
        json: used,
        data: {
          ...requestedReturnView(requested),
          request_status: 'CANCELED',
          canceled_message: 'It was used.',
          decided_at: at,
          decided_by: anyText,
        },
      }
    },
    refusals: refusalsOf('reject', used),
  },
}
