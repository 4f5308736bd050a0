import type { OperatorCases } from '../testing/cases.ts'
import { anyId, anyText, at } from '../testing/mask-volatile.ts'
import { withUsedKey, type OperatorWorld } from '../testing/operators.ts'
import {
  adjustment,
  adjustmentView,
  availableDiscs,
  fullOrderView,
  historyCreated,
  historyEntry,
  order,
  partlyShippedOrder,
  requestView,
  shipPart,
  virtualOrder,
} from '../testing/orders.ts'
import { unknownId, type World } from '../testing/world.ts'

const clientOf = ({ me }: World): { client_id: number; client_name: string } => ({
  client_id: me.client_id,
  client_name: 'Garage Weber',
})

export async function operatorView(world: World, order_id: number, goods?: { shipped: number; open: number }) {
  return {
    ...clientOf(world),
    order_contact: { contact_id: world.me.contact_id, contact_name: 'Anna Weber', contact_email: null },
    hold_reason: null as string | null,
    ...(await fullOrderView(world, order_id, goods)),
    returns: [],
    notes: [],
  }
}

/** An order of three brake discs that can be shipped. */
export async function fulfilled(world: OperatorWorld): Promise<{ order_id: number; order_item_id: number }> {
  const placed = await order(world)
  await moveTo(world, placed.order_id, 'processing', 'fulfilling')
  return placed
}

/** Holds what other cases left to pick. */
async function holdEverything({ operators }: OperatorWorld): Promise<void> {
  for (;;) {
    const left = await operators.ok('GET', '/operator/v1/stocks/1/pick-list/')
    if (left.length === 0) return
    for (const { order_id } of left) await operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
  }
}

export const historyMoved = [
  historyEntry('Change of status', 'Being assembled', 'fulfilling'),
  historyEntry('Change of status', 'Processing', 'processing'),
  historyCreated,
]

/** In a cancelled order nothing is open. */
const released = { shipped: 0, open: 0 }

const requested = historyEntry('Change of status', 'Cancellation requested', 'zayavka-na-otmen')

/** An order of three brake discs with a requested cancellation. */
async function cancellation(world: World): Promise<number> {
  const { order_id } = await order(world)
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  return order_id
}

/** Decides everything that other cases left in the inbox. */
async function clearInbox({ operators }: OperatorWorld): Promise<void> {
  for (const { kind, order_id, adjustment_id } of await operators.ok('GET', '/operator/v1/inbox/?limit=500')) {
    if (kind === 'adjustment')
      await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'Cleared.' })
    else await operators.ok('POST', `/operator/v1/orders/${order_id}/cancellation/accept/`)
  }
}

export async function moveTo({ operators }: OperatorWorld, order_id: number, ...states: string[]): Promise<void> {
  for (const state_id of states) await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
}

/** An order of a given item, contract and quantity. */
export async function orderOf(
  { shop }: World,
  line: { item_id: number; quantity: number; contract_id?: number },
): Promise<number> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, line)
  return shop.order(cart_id)
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

const soldOut = { reason: 'Sold out.' }
const overdue = { reason: 'Payment is overdue.' }
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
    ],
    held: await count('orders where hold_reason is not null'),
    short: await count('stock_levels where reserved > on_hand'),
  }
}

const because = { message: 'Already being loaded.' }

export const orderOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/inbox/': {
    success: async (world) => {
      await clearInbox(world)
      const { order_id, order_item_id, adjustment_id } = await adjustment(world)
      const other = await cancellation(world)
      const [first, second] = [await operatorView(world, order_id), await operatorView(world, other)]
      const disc = {
        stock_id: 1,
        item_id: 1,
        item_vendor_code: 'BN-280-V',
        item_title: 'Brake disc front 280 mm vented',
        quantity_before: 3,
        available: await availableDiscs(world),
      }
      const waiting = { since: at, age_seconds: anyId, ...clientOf(world) }
      const contract = { contract_id: world.me.contract_id, limit: 0, used: 60 }
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
            items: [{ ...disc, quantity_after: 0 }],
            contract: { ...contract, change: -30 },
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
          order_history: [historyEntry('Change of status', 'Cancelled', 'canceled'), requested, historyCreated],
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
            historyEntry('Change of status', 'Processing', 'processing', 'Already being loaded.'),
            requested,
            historyEntry('Change of status', 'Processing', 'processing'),
            historyCreated,
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
  'POST /operator/v1/orders/{order_id}/move/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/move/`,
        json: { state_id: 'canceled', text: 'Sold out.' },
        data: {
          ...(await operatorView(world, order_id, released)),
          order_state_id: 'canceled',
          order_history: [historyEntry('Change of status', 'Cancelled', 'canceled', 'Sold out.'), historyCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/move/`,
        json: { state_id: 'processing' },
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_held: async (world) => {
        const { order_id } = await order(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'processing' },
          details: { order_id, hold_reason: 'Payment is overdue.' },
        }
      },
      order_partly_shipped: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling')
        await shipPart(world, order_id, 2)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'processing' },
          details: { order_id },
        }
      },
      order_is_virtual: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 1 })
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { order_id },
        }
      },
      goods_missing: async (world) => {
        const order_id = await orderOf(world, { item_id: 4, quantity: 2 }) // A back-order: none is on hand.
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { item_id: 4, stock_id: 1, on_hand: 0, needed: 2 },
        }
      },
    },
  },
  'POST /operator/v1/stock-levels/{stock_id}/{item_id}/count/': {
    success: async (world) => {
      const { service } = world
      await service.sql('update stock_levels set on_hand = reserved + 10 where stock_id = 1 and item_id = 3')
      const order_ids = [
        await orderOf(world, { item_id: 3, quantity: 4 }),
        await orderOf(world, { item_id: 3, quantity: 3 }),
      ]
      const [level] = await service.sql('select on_hand, reserved from stock_levels where stock_id = 1 and item_id = 3')
      const { on_hand, reserved } = { on_hand: Number(level?.['on_hand']), reserved: Number(level?.['reserved']) }
      const [newest] = await service.sql(
        'select order_number, order_item_id from orders join order_items using (order_id) where order_id = $1',
        [order_ids[1]],
      )
      return {
        path: '/operator/v1/stock-levels/1/3/count/',
        json: { on_hand: reserved - 1, reason: 'Damaged by water.' },
        data: {
          stock_id: 1,
          stock_name: 'Berlin',
          item_id: 3,
          item_vendor_code: 'ЖK-7',
          item_title: 'Spark plug K7, 4 pieces',
          on_hand: reserved - 1,
          reserved,
          available: 0,
          back_order: false,
          shortage: 1,
          on_hand_before: on_hand,
          affected_orders: [
            {
              order_id: order_ids[1],
              order_number: Number(newest?.['order_number']),
              ...clientOf(world),
              order_state_id: 'new',
              order_create_datetime: at,
              order_item_id: Number(newest?.['order_item_id']),
              open: 3,
              short: 1,
            },
          ],
          short_unlisted: 0,
        },
      }
    },
    refusals: {
      idempotency_key_used: async (world) => {
        const count = { on_hand: 10_000, reason: 'Counted.' }
        const path = '/operator/v1/stock-levels/1/1/count/'
        return withUsedKey(world, path, { first: count, second: { ...count, on_hand: 9_999 } })
      },
      expected_differs: async ({ service }) => {
        await service.sql('update stock_levels set on_hand = reserved + 10 where stock_id = 1 and item_id = 3')
        const [row] = await service.sql('select on_hand from stock_levels where stock_id = 1 and item_id = 3')
        const present = Number(row?.['on_hand'])
        return {
          path: '/operator/v1/stock-levels/1/3/count/',
          json: { on_hand: present, reason: 'Counted.', expected: present + 1 },
          details: { figure: 'on_hand', expected: present + 1, present },
        }
      },
      stock_not_found: async () => ({
        path: `/operator/v1/stock-levels/${unknownId}/1/count/`,
        json: { on_hand: 1, reason: 'Counted.' },
        details: { stock_id: unknownId },
      }),
      item_not_found: async () => ({
        path: `/operator/v1/stock-levels/1/${unknownId}/count/`,
        json: { on_hand: 1, reason: 'Counted.' },
        details: { item_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/orders/{order_id}/hold/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/hold/`,
        json: overdue,
        data: {
          ...(await operatorView(world, order_id)),
          hold_reason: 'Payment is overdue.',
          order_history: [historyEntry('Hold', 'New', 'new', 'Payment is overdue.'), historyCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/hold/`,
        json: overdue,
        details: { order_id: unknownId },
      }),
      order_not_holdable: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling', 'shipped')
        return {
          path: `/operator/v1/orders/${order_id}/hold/`,
          json: overdue,
          details: { order_id, order_state_id: 'shipped' },
        }
      },
    },
  },
  'POST /operator/v1/orders/{order_id}/release/': {
    success: async (world) => {
      const { order_id } = await order(world)
      await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
      return {
        path: `/operator/v1/orders/${order_id}/release/`,
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [
            historyEntry('Release', 'New', 'new'),
            historyEntry('Hold', 'New', 'new', 'Payment is overdue.'),
            historyCreated,
          ],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/release/`,
        details: { order_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/orders/{order_id}/shipments/': {
    success: async (world) => {
      const { order_id, order_item_id } = await fulfilled(world)
      const lines = [{ order_item_id, quantity: 2 }]
      return {
        path: `/operator/v1/orders/${order_id}/shipments/`,
        json: { lines, carrier: 'DHL', tracking: '0034' },
        data: {
          ...(await operatorView(world, order_id, { shipped: 2, open: 1 })),
          order_state_id: 'fulfilling',
          order_shipping_datetime: at,
          order_history: [historyEntry('Shipment', 'Being assembled', 'fulfilling', 'DHL 0034'), ...historyMoved],
          shipments: [{ shipment_id: anyId, shipment_datetime: at, carrier: 'DHL', tracking: '0034', lines }],
        },
      }
    },
    refusals: {
      idempotency_key_used: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const lines = [{ order_item_id, quantity: 1 }]
        const path = `/operator/v1/orders/${order_id}/shipments/`
        return withUsedKey(world, path, { first: { lines }, second: { lines, carrier: 'DHL' } })
      },
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/shipments/`,
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_held: async (world) => {
        const { order_id } = await fulfilled(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          details: { order_id, hold_reason: 'Payment is overdue.' },
        }
      },
      order_is_virtual: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 1 })
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return { path: `/operator/v1/orders/${order_id}/shipments/`, details: { order_id } }
      },
      order_item_not_found: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          json: {
            lines: [
              { order_item_id: unknownId, quantity: 1 },
              { order_item_id, quantity: 1 },
            ],
          },
          details: { order_id, order_item_id: unknownId },
        }
      },
      quantity_not_open: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const path = `/operator/v1/orders/${order_id}/shipments/`
        await world.operators.ok('POST', path, { lines: [{ order_item_id, quantity: 2 }] })
        return {
          path,
          json: { lines: [{ order_item_id, quantity: 2 }] },
          details: { order_item_id, open: 1, requested: 2 },
        }
      },
      expected_differs: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const path = `/operator/v1/orders/${order_id}/shipments/`
        await world.operators.ok('POST', path, { lines: [{ order_item_id, quantity: 1 }], expected: 3 })
        return { path, json: { expected: 3 }, details: { figure: 'open', expected: 3, present: 2 } }
      },
      goods_missing: async (world) => {
        const order_id = await orderOf(world, { item_id: 4, quantity: 2 }) // A back-order: none is on hand.
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/shipments/`,
          details: { item_id: 4, stock_id: 1, on_hand: 0, needed: 2 },
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
  'POST /operator/v1/orders/{order_id}/close-open/': {
    success: async (world) => {
      const { order_id, order_item_id } = await fulfilled(world)
      const lines = [{ order_item_id, quantity: 2 }]
      await world.operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, { lines })
      const view = await operatorView(world, order_id, { shipped: 2, open: 0 })
      return {
        path: `/operator/v1/orders/${order_id}/close-open/`,
        json: soldOut,
        data: {
          ...view,
          order_state_id: 'shipped',
          order_total: 20,
          order_tax: 3.33,
          order_shipping_datetime: at,
          order_history: [
            historyEntry('Change of status', 'Shipped', 'shipped'),
            historyEntry('Change of items', 'Being assembled', 'fulfilling', 'Sold out.'),
            historyEntry('Shipment', 'Being assembled', 'fulfilling'),
            ...historyMoved,
          ],
          items: [{ ...view.items[0], order_item_quantity: 2 }],
          shipments: [{ shipment_id: anyId, shipment_datetime: at, carrier: null, tracking: null, lines }],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/close-open/`,
        json: soldOut,
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/close-open/`,
          json: soldOut,
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_held: async (world) => {
        const order_id = await partlyShippedOrder(world)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, overdue)
        return {
          path: `/operator/v1/orders/${order_id}/close-open/`,
          json: soldOut,
          details: { order_id, hold_reason: 'Payment is overdue.' },
        }
      },
      nothing_shipped: async (world) => {
        const { order_id } = await fulfilled(world)
        return { path: `/operator/v1/orders/${order_id}/close-open/`, json: soldOut, details: { order_id } }
      },
      expected_differs: async (world) => {
        const { order_id, order_item_id } = await fulfilled(world)
        const ship = { lines: [{ order_item_id, quantity: 1 }] }
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, ship)
        return {
          path: `/operator/v1/orders/${order_id}/close-open/`,
          json: { ...soldOut, expected: 3 },
          details: { figure: 'open', expected: 3, present: 2 },
        }
      },
    },
  },
  'POST /operator/v1/orders/{order_id}/clear-virtual/': {
    success: async (world) => {
      const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
      return {
        path: `/operator/v1/orders/${order_id}/clear-virtual/`,
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [historyEntry('Change of reservation', 'New', 'new'), historyCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/clear-virtual/`,
        details: { order_id: unknownId },
      }),
      virtual_not_clearable: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
        await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
        return {
          path: `/operator/v1/orders/${order_id}/clear-virtual/`,
          details: { order_id, order_state_id: 'zayavka-na-otmen' },
        }
      },
      out_of_stock: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 500_000 })
        return {
          path: `/operator/v1/orders/${order_id}/clear-virtual/`,
          details: { item_id: 1, stock_id: 1, available: await availableDiscs(world), requested: 500_000 },
        }
      },
    },
  },
  'POST /operator/v1/orders/move/': {
    success: async (world) => {
      const [first, second] = [await order(world), await order(world)]
      await world.operators.ok('POST', `/operator/v1/orders/${second.order_id}/move/`, {
        state_id: 'canceled',
        text: 'Sold out.',
      })
      const refused = {
        order_id: second.order_id,
        order_state_id: 'canceled',
        state_id: 'processing',
        possible: [],
      }
      return {
        path: '/operator/v1/orders/move/',
        json: { order_ids: [second.order_id, unknownId, first.order_id], state_id: 'processing' },
        data: [
          {
            order_id: second.order_id,
            moved: false,
            order_state_id: null,
            errors: [
              {
                code: 'order_move_refused',
                message: `Order ${second.order_id} cannot move from 'canceled' to 'processing'. Possible: none.`,
                details: refused,
              },
            ],
          },
          {
            order_id: unknownId,
            moved: false,
            order_state_id: null,
            errors: [
              {
                code: 'order_not_found',
                message: `No such order: ${unknownId}.`,
                details: { order_id: unknownId },
              },
            ],
          },
          { order_id: first.order_id, moved: true, order_state_id: 'processing', errors: [] },
        ],
      }
    },
    refusals: {},
  },
}
