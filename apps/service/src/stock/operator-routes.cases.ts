import { fresh, reserveDiscs } from '../testing/stock.ts'
import type { OperatorCases } from '../testing/cases.ts'
import { at } from '../testing/mask-volatile.ts'
import { withUsedKey } from '../testing/operators.ts'
import { unknownId } from '../testing/world.ts'
import { clientOf, orderOf } from '../orders/operator-shared.cases.ts'

const level = {
  stock_id: 2,
  stock_name: 'Hamburg',
  item_id: 2,
  item_vendor_code: 'FW-2',
  item_title: 'Oil filter F2',
  back_order: false,
  shortage: 0,
}

const noStock = (path: string) => async () => ({
  path: `/operator/v1/stocks/${unknownId}/${path}`,
  details: { stock_id: unknownId },
})

const unknownLevels = (sent: { json?: object } = {}) => ({
  stock_not_found: async () => ({
    path: `/operator/v1/stock-levels/${unknownId}/1/arrivals/`,
    ...sent,
    details: { stock_id: unknownId },
  }),
  item_not_found: async () => ({
    path: `/operator/v1/stock-levels/1/${unknownId}/arrivals/`,
    ...sent,
    details: { item_id: unknownId },
  }),
})

export const stockOperatorCases: Record<string, OperatorCases> = {
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
  'GET /operator/v1/stock-levels/': {
    success: async ({ operators }) => {
      await operators.ok('PUT', '/operator/v1/stock-levels/2/2/', { on_hand: 20 })
      return {
        path: '/operator/v1/stock-levels/?stock_id=2&item_id=2',
        data: [{ ...level, on_hand: 20, reserved: 0, available: 20 }],
      }
    },
    refusals: {},
  },
  'PUT /operator/v1/stock-levels/{stock_id}/{item_id}/': {
    success: async () => {
      const on_hand = fresh()
      return {
        path: '/operator/v1/stock-levels/2/2/',
        json: { on_hand, back_order: false },
        data: { ...level, on_hand, reserved: 0, available: on_hand },
      }
    },
    refusals: {
      stock_not_found: async () => ({
        path: `/operator/v1/stock-levels/${unknownId}/1/`,
        json: { on_hand: 1 },
        details: { stock_id: unknownId },
      }),
      item_not_found: async () => ({
        path: `/operator/v1/stock-levels/1/${unknownId}/`,
        json: { on_hand: 1 },
        details: { item_id: unknownId },
      }),
      stock_below_reserved: async (world) => {
        await reserveDiscs(world)
        return {
          path: '/operator/v1/stock-levels/2/1/',
          json: { on_hand: 1 },
          details: { stock_id: 2, item_id: 1, on_hand: 1, reserved: 2 },
        }
      },
      expected_differs: async ({ operators }) => {
        await operators.ok('PUT', '/operator/v1/stock-levels/2/2/', { on_hand: 20 })
        return {
          path: '/operator/v1/stock-levels/2/2/',
          json: { on_hand: 25, expected: 19 },
          details: { figure: 'on_hand', expected: 19, present: 20 },
        }
      },
    },
  },
  'GET /operator/v1/stock-levels/{stock_id}/{item_id}/arrivals/': {
    success: async ({ operators }) => {
      const path = '/operator/v1/stock-levels/2/2/arrivals/'
      const arrivals = [{ date: '2031-11-24', quantity: fresh() }]
      await operators.ok('PUT', path, { arrivals })
      return { path, data: { stock_id: 2, item_id: 2, arrivals } }
    },
    refusals: unknownLevels(),
  },
  'PUT /operator/v1/stock-levels/{stock_id}/{item_id}/arrivals/': {
    success: async () => {
      const arrivals = [{ date: '2031-11-24', quantity: fresh() }]
      return {
        path: '/operator/v1/stock-levels/2/2/arrivals/',
        json: { arrivals },
        data: { stock_id: 2, item_id: 2, arrivals },
      }
    },
    refusals: unknownLevels({ json: { arrivals: [] } }),
  },
  'GET /operator/v1/stocks/': {
    success: async () => ({
      path: '/operator/v1/stocks/?limit=2',
      data: [
        { stock_id: 1, stock_name: 'Berlin', lead_days: 0, cut_off: null, closed_weekdays: [] },
        { stock_id: 2, stock_name: 'Hamburg', lead_days: 2, cut_off: null, closed_weekdays: [6, 7] },
      ],
    }),
    refusals: {},
  },
  'PUT /operator/v1/stocks/{stock_id}/': {
    success: async () => {
      const stock_id = fresh()
      return {
        path: `/operator/v1/stocks/${stock_id}/`,
        json: { stock_name: 'Wien', cut_off: '14:30', closed_weekdays: [7] },
        data: { stock_id, stock_name: 'Wien', lead_days: 0, cut_off: '14:30', closed_weekdays: [7] },
      }
    },
    refusals: {},
  },
  'GET /operator/v1/stocks/{stock_id}/closures/': {
    success: async ({ operators }) => {
      for (const date of ['2026-12-31', '2026-12-24'])
        await operators.ok('PUT', `/operator/v1/stocks/3/closures/${date}/`)
      return {
        path: '/operator/v1/stocks/3/closures/',
        data: [
          { stock_id: 3, date: '2026-12-24', closed: true },
          { stock_id: 3, date: '2026-12-31', closed: true },
        ],
      }
    },
    refusals: { stock_not_found: noStock('closures/') },
  },
  'PUT /operator/v1/stocks/{stock_id}/closures/{date}/': {
    success: async ({ service }) => {
      await service.sql(`delete from stock_closed_days where stock_id = 3 and closed_on = '2026-12-24'`)
      return {
        path: '/operator/v1/stocks/3/closures/2026-12-24/',
        data: { stock_id: 3, date: '2026-12-24', closed: true },
      }
    },
    refusals: { stock_not_found: noStock('closures/2026-12-24/') },
  },
  'DELETE /operator/v1/stocks/{stock_id}/closures/{date}/': {
    success: async ({ service }) => {
      await service.sql(`insert into stock_closed_days (stock_id, closed_on) values (3, '2026-12-23')`)
      return {
        path: '/operator/v1/stocks/3/closures/2026-12-23/',
        data: { stock_id: 3, date: '2026-12-23', closed: false },
      }
    },
    refusals: { stock_not_found: noStock('closures/2026-12-24/') },
  },
}
