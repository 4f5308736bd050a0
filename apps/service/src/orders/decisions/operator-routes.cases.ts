import type { OperatorCases } from '../../testing/cases.ts'
import { anyId, anyText, at } from '../../testing/mask-volatile.ts'
import { type OperatorWorld } from '../../testing/operators.ts'
import {
  adjustment,
  adjustmentView,
  availableDiscs,
  order,
  requestedReturn,
  requestView,
} from '../../testing/orders.ts'
import { unknownId, type World } from '../../testing/world.ts'
import {
  clientOf,
  entryByOperator,
  entryCreated,
  moveTo,
  operatorView,
  orderOf,
  released,
  requested,
} from '../operator-shared.cases.ts'

/** An order of three brake discs with a requested cancellation. */
async function cancellation(world: World): Promise<number> {
  const { order_id } = await order(world)
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  return order_id
}

/** Decides everything that other cases left in the inbox. */
async function clearInbox({ operators }: OperatorWorld): Promise<void> {
  for (const { kind, order_id, adjustment_id, return_request } of await operators.ok(
    'GET',
    '/operator/v1/inbox/?limit=500',
  )) {
    if (kind === 'return')
      await operators.ok('POST', `/operator/v1/return-requests/${return_request.return_request_id}/reject/`, {
        message: 'Cleared.',
      })
    else if (kind === 'adjustment')
      await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'Cleared.' })
    else await operators.ok('POST', `/operator/v1/orders/${order_id}/cancellation/accept/`)
  }
}

async function adjustmentOf(world: World, order_id: number, quantity: number): Promise<number> {
  const [line] = await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return (await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity }))
    .adjustment_id as number
}

const cancellationRefusals = (decision: string, json?: object): OperatorCases['refusals'] => ({
  order_not_found: async () => ({
    path: `/operator/v1/orders/${unknownId}/cancellation/${decision}/`,
    ...(json && { json }),
    details: { order_id: unknownId },
  }),
  cancellation_not_requested: async (world) => {
    const { order_id } = await order(world)
    return {
      path: `/operator/v1/orders/${order_id}/cancellation/${decision}/`,
      ...(json && { json }),
      details: { order_id, order_state_id: 'new' },
    }
  },
  expected_differs: async (world) => {
    const order_id = await cancellation(world)
    return {
      path: `/operator/v1/orders/${order_id}/cancellation/${decision}/`,
      json: { ...json, expected: 30.01 },
      details: { figure: 'order_total', expected: 30.01, present: 30 },
    }
  },
})

const adjustmentRefusals = (decision: string, json?: object): OperatorCases['refusals'] => ({
  adjustment_not_found: async () => ({
    path: `/operator/v1/adjustments/${unknownId}/${decision}/`,
    ...(json && { json }),
    details: { adjustment_id: unknownId },
  }),
  adjustment_decided: async (world) => {
    const { adjustment_id } = await adjustment(world)
    await world.operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'No.' })
    return {
      path: `/operator/v1/adjustments/${adjustment_id}/${decision}/`,
      ...(json && { json }),
      details: { adjustment_id, adjustment_status: 'CANCELED', adjustment_canceled_message: 'No.' },
    }
  },
  expected_differs: async (world) => {
    const { adjustment_id } = await adjustment(world)
    return {
      path: `/operator/v1/adjustments/${adjustment_id}/${decision}/`,
      json: { ...json, expected: 2 },
      details: { figure: 'quantity', expected: 2, present: 3 },
    }
  },
})

/** Counted one by one: other cases have left orders behind. */
async function countsNow({ service }: World) {
  const count = async (from: string): Promise<{ count: number; more: boolean }> => ({
    count: Number((await service.sql(`select count(*) from ${from}`))[0]?.['count']),
    more: false,
  })
  const inState = async (state_id: string, also = '') => ({
    state_id,
    ...(await count(`orders where order_state_id = '${state_id}' ${also}`)),
  })
  const states = ['new', 'processing', 'fulfilling', 'shipped', 'completed', 'zayavka-na-otmen', 'canceled']
  const open = states.filter((state) => !['shipped', 'completed', 'canceled'].includes(state))
  const stocks = await service.sql('select stock_id, stock_name from stocks order by stock_id')
  return {
    orders: await Promise.all(states.map((state) => inState(state))),
    stocks: await Promise.all(
      stocks.map(async ({ stock_id, stock_name }) => ({
        stock_id: Number(stock_id),
        stock_name,
        orders: await Promise.all(open.map((state) => inState(state, `and stock_id = ${Number(stock_id)}`))),
      })),
    ),
    inbox: [
      { kind: 'cancellation', ...(await count("orders where order_state_id = 'zayavka-na-otmen'")) },
      { kind: 'adjustment', ...(await count("adjustments where adjustment_status = 'WAIT'")) },
      { kind: 'return', ...(await count("return_requests where request_status = 'WAIT'")) },
    ],
    held: await count('orders where hold_reason is not null'),
    short: await count('stock_levels where reserved > on_hand'),
  }
}

const because = { message: 'Already being loaded.' }

export const decisionCases: Record<string, OperatorCases> = {
  'GET /operator/v1/inbox/': {
    success: async (world) => {
      await clearInbox(world)
      const { order_id, order_item_id, adjustment_id } = await adjustment(world)
      const other = await cancellation(world)
      const back = await requestedReturn(world)
      const [first, second, third] = [
        await operatorView(world, order_id),
        await operatorView(world, other),
        await operatorView(world, back.order_id),
      ]
      const disc = {
        stock_id: 1,
        item_id: 1,
        item_vendor_code: 'BN-280-V',
        item_title: 'Brake disc front 280 mm vented',
        quantity_before: 3,
        quantity_allowed: true,
        available: await availableDiscs(world),
      }
      const waiting = { since: at, age_seconds: anyId, ...clientOf(world) }
      const contract = { contract_id: world.me.contract_id, limit: 0, used: 90 }
      return {
        path: '/operator/v1/inbox/',
        data: [
          {
            kind: 'adjustment',
            ...waiting,
            adjustment_id,
            order_id,
            order_number: first.order_number,
            reference: null,
            state_before: 'new',
            state_after: 'new',
            request: requestView(order_item_id),
            return_request: null,
            items: [{ ...disc, quantity_after: 2 }],
            contract: { ...contract, change: -10 },
            decisions: ['accept', 'reject'],
          },
          {
            kind: 'cancellation',
            ...waiting,
            adjustment_id: null,
            order_id: other,
            order_number: second.order_number,
            reference: null,
            state_before: 'new',
            state_after: 'canceled',
            request: null,
            return_request: null,
            items: [{ ...disc, quantity_after: 0 }],
            contract: { ...contract, change: -30 },
            decisions: ['accept', 'reject'],
          },
          {
            kind: 'return',
            ...waiting,
            adjustment_id: null,
            order_id: back.order_id,
            order_number: third.order_number,
            reference: null,
            state_before: 'fulfilling',
            state_after: 'fulfilling',
            request: null,
            return_request: {
              return_request_id: back.return_request_id,
              reason: 'Does not fit.',
              lines: [
                {
                  order_item_id: back.order_item_id,
                  item_id: 1,
                  item_vendor_code: 'BN-280-V',
                  item_title: 'Brake disc front 280 mm vented',
                  quantity: 1,
                  returnable: 2,
                },
              ],
            },
            items: [],
            contract: { ...contract, change: 0 },
            decisions: ['accept', 'reject'],
          },
        ],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/counts/': {
    success: async (world) => {
      await adjustment(world)
      await cancellation(world)
      await requestedReturn(world)
      return { path: '/operator/v1/counts/', data: await countsNow(world) }
    },
    refusals: {},
  },
  'POST /operator/v1/orders/{order_id}/cancellation/accept/': {
    success: async (world) => {
      const order_id = await cancellation(world)
      return {
        path: `/operator/v1/orders/${order_id}/cancellation/accept/`,
        data: {
          ...(await operatorView(world, order_id, released)),
          order_state_id: 'canceled',
          order_history: [entryByOperator('Change of status', 'Cancelled', 'canceled'), requested, entryCreated],
        },
      }
    },
    refusals: cancellationRefusals('accept'),
  },
  'POST /operator/v1/orders/{order_id}/cancellation/reject/': {
    success: async (world) => {
      const { order_id } = await order(world)
      await moveTo(world, order_id, 'processing')
      await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
      return {
        path: `/operator/v1/orders/${order_id}/cancellation/reject/`,
        json: because,
        data: {
          ...(await operatorView(world, order_id)),
          order_state_id: 'processing',
          order_history: [
            entryByOperator('Change of status', 'Processing', 'processing', 'Already being loaded.'),
            requested,
            entryByOperator('Change of status', 'Processing', 'processing'),
            entryCreated,
          ],
        },
      }
    },
    refusals: cancellationRefusals('reject', because),
  },
  'GET /operator/v1/adjustments/': {
    success: async (world) => {
      const [decided, open] = [await adjustment(world), await adjustment(world)]
      await world.operators.ok('POST', `/operator/v1/adjustments/${decided.adjustment_id}/reject/`, because)
      const listed = async ({ order_id, order_item_id, adjustment_id }: typeof decided) => ({
        ...clientOf(world),
        order_number: (await operatorView(world, order_id)).order_number,
        ...adjustmentView(order_id, adjustment_id),
        request: requestView(order_item_id),
      })
      return {
        path: `/operator/v1/adjustments/?client_id=${world.me.client_id}&status=WAIT,CANCELED`,
        data: [
          await listed(open),
          {
            ...(await listed(decided)),
            adjustment_status: 'CANCELED',
            adjustment_canceled_message: 'Already being loaded.',
            request: requestView(decided.order_item_id, anyText),
          },
        ],
      }
    },
    refusals: {},
  },
  'POST /operator/v1/adjustments/{adjustment_id}/accept/': {
    success: async (world) => {
      const { order_id, order_item_id, adjustment_id } = await adjustment(world)
      const view = adjustmentView(order_id, adjustment_id)
      return {
        path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
        data: {
          ...view,
          adjustment_status: 'ACCEPTED',
          adjustment_items: [{ ...view.adjustment_items[0], difference: -1 }],
          request: requestView(order_item_id, anyText),
        },
      }
    },
    refusals: {
      ...adjustmentRefusals('accept'),
      out_of_stock: async (world) => {
        const adjustment_id = await adjustmentOf(world, await orderOf(world, { item_id: 1, quantity: 1 }), 500_000)
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { item_id: 1, stock_id: 1, available: await availableDiscs(world), requested: 499_999 },
        }
      },
      contract_limit_exceeded: async (world) => {
        const contract_id = world.me.limited_contract_id
        // 10 discs at 10.00, less 5%, plus 10% tax, are 104.50; 100 of them 1,045.00.
        const adjustment_id = await adjustmentOf(
          world,
          await orderOf(world, { item_id: 1, quantity: 10, contract_id }),
          100,
        )
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { contract_id, limit: 1000, used: 104.5, requested: 940.5 },
        }
      },
      confirmation_required: async (world) => {
        const adjustment_id = await adjustmentOf(world, await orderOf(world, { item_id: 2, quantity: 2 }), 21)
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { change: 'quantity', before: 2, after: 21 },
        }
      },
      order_total_too_large: async (world) => {
        const contract_id = world.me.special_contract_id
        const adjustment_id = await adjustmentOf(
          world,
          await orderOf(world, { item_id: 2, quantity: 1, contract_id }),
          1_000_000,
        )
        await world.service.sql(
          'update stock_levels set on_hand = on_hand + 2000000 where stock_id = 1 and item_id = 2',
        )
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { total_max: 999_999_999_999.999 },
        }
      },
    },
  },
  'POST /operator/v1/adjustments/{adjustment_id}/reject/': {
    success: async (world) => {
      const { order_id, order_item_id, adjustment_id } = await adjustment(world)
      return {
        path: `/operator/v1/adjustments/${adjustment_id}/reject/`,
        json: because,
        data: {
          ...adjustmentView(order_id, adjustment_id),
          adjustment_status: 'CANCELED',
          adjustment_canceled_message: 'Already being loaded.',
          request: requestView(order_item_id, anyText),
        },
      }
    },
    refusals: adjustmentRefusals('reject', because),
  },
}
