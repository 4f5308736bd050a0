import type { OperatorCases } from '../testing/cases.ts'
import { anyId, anyText, at } from '../testing/mask-volatile.ts'
import { fresh, reserveDiscs } from '../testing/stock.ts'
import { unknownId } from '../testing/world.ts'

const body = {
  item_vendor_code: 'NV-17',
  item_barcode: '2000000000176',
  item_title: 'Wiper blade 600 mm',
  brand_name: 'Filterwerk',
  product_id: 12,
}

const level = {
  stock_id: 2,
  stock_name: 'Hamburg',
  item_id: 2,
  item_vendor_code: 'FW-2',
  item_title: 'Oil filter F2',
  back_order: false,
  shortage: 0,
}

/** Item 6, which has no price in list 1. */
const plug = {
  item_id: 6,
  item_vendor_code: 'ЖK-8',
  item_barcode: '4006381333986',
  item_title: 'Spark plug K8',
  brand: { brand_id: 2, brand_name: 'Filterwerk' },
  product_id: 13,
  product_name: 'Spark plug K7',
  on_sale: true,
  prices: [{ price_list_id: 2, price_list_name: 'Special', currency_code: 'EUR', price: 5 }],
  stock_levels: [{ stock_id: 1, stock_name: 'Berlin', on_hand: 10, reserved: 0, back_order: false }],
}

const noStock = (path: string) => async () => ({
  path: `/operator/v1/stocks/${unknownId}/${path}`,
  details: { stock_id: unknownId },
})

export const catalogueOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/items/': {
    success: async () => ({
      path: '/operator/v1/items/?search=plug%20spark&brand_id=2&missing_price=1',
      data: [plug],
    }),
    refusals: {},
  },
  'GET /operator/v1/items/{item_id}/': {
    success: async () => ({
      path: '/operator/v1/items/6/',
      data: plug,
    }),
    refusals: {
      item_not_found: async () => ({ path: `/operator/v1/items/${unknownId}/`, details: { item_id: unknownId } }),
    },
  },
  'PUT /operator/v1/items/{item_id}/': {
    success: async () => {
      const item_id = fresh()
      return { path: `/operator/v1/items/${item_id}/`, json: body, data: { item_id, outcome: 'added' } }
    },
    refusals: {},
  },
  'GET /operator/v1/price-lists/{price_list_id}/prices/': {
    success: async () => ({
      path: '/operator/v1/price-lists/2/prices/?limit=2',
      data: [
        {
          item_id: 1,
          item_vendor_code: 'BN-280-V',
          item_title: 'Brake disc front 280 mm vented',
          on_sale: true,
          price: 9,
        },
        { item_id: 2, item_vendor_code: 'FW-2', item_title: 'Oil filter F2', on_sale: true, price: 1_000_000 },
      ],
    }),
    refusals: {
      price_list_not_found: async () => ({
        path: `/operator/v1/price-lists/${unknownId}/prices/`,
        details: { price_list_id: unknownId },
      }),
    },
  },
  'PUT /operator/v1/price-lists/{price_list_id}/prices/{item_id}/': {
    success: async ({ service }) => {
      const price = fresh() / 1000
      const [row] = await service.sql('select price from prices where price_list_id = 3 and item_id = 1')
      return {
        path: '/operator/v1/price-lists/3/prices/1/',
        json: { price, expected: Number(row?.['price']), confirmed: true },
        data: { price_list_id: 3, item_id: 1, price, outcome: 'changed' },
      }
    },
    refusals: {
      price_list_not_found: async () => ({
        path: `/operator/v1/price-lists/${unknownId}/prices/1/`,
        json: { price: 1 },
        details: { price_list_id: unknownId },
      }),
      item_not_found: async () => ({
        path: `/operator/v1/price-lists/1/prices/${unknownId}/`,
        json: { price: 1 },
        details: { item_id: unknownId },
      }),
      confirmation_required: async ({ operators, service }) => {
        await service.sql('update prices set price = 10 where price_list_id = 3 and item_id = 1')
        await operators.ok('PUT', '/operator/v1/price-lists/3/prices/1/', { price: 30 }) // Three times: not asked.
        return {
          path: '/operator/v1/price-lists/3/prices/1/',
          json: { price: 9.9999 },
          details: { change: 'price', before: 30, after: 9.9999 },
        }
      },
      expected_differs: async ({ service }) => {
        await service.sql('update prices set price = 30 where price_list_id = 3 and item_id = 1')
        return {
          path: '/operator/v1/price-lists/3/prices/1/',
          json: { price: 29, expected: 10 },
          details: { figure: 'price', expected: 10, present: 30 },
        }
      },
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
  'GET /operator/v1/stocks/': {
    success: async () => ({
      path: '/operator/v1/stocks/?limit=2',
      data: [
        { stock_id: 1, stock_name: 'Berlin', lead_days: 0, closed_weekdays: [] },
        { stock_id: 2, stock_name: 'Hamburg', lead_days: 2, closed_weekdays: [6, 7] },
      ],
    }),
    refusals: {},
  },
  'PUT /operator/v1/stocks/{stock_id}/': {
    success: async () => {
      const stock_id = fresh()
      return {
        path: `/operator/v1/stocks/${stock_id}/`,
        json: { stock_name: 'Wien', closed_weekdays: [7] },
        data: { stock_id, stock_name: 'Wien', lead_days: 0, closed_weekdays: [7] },
      }
    },
    refusals: {},
  },
  'GET /operator/v1/price-lists/': {
    success: async () => ({
      path: '/operator/v1/price-lists/?limit=1',
      data: [{ price_list_id: 1, price_list_name: 'Standard', currency_code: 'EUR' }],
    }),
    refusals: {},
  },
  'PUT /operator/v1/price-lists/{price_list_id}/': {
    success: async () => {
      const price_list_id = fresh()
      const json = { price_list_name: 'Winter', currency_code: 'EUR' }
      return { path: `/operator/v1/price-lists/${price_list_id}/`, json, data: { price_list_id, ...json } }
    },
    refusals: {
      currency_not_found: async () => ({
        path: `/operator/v1/price-lists/${fresh()}/`,
        json: { price_list_name: 'Winter', currency_code: 'XXX' },
        details: { currency_code: 'XXX' },
      }),
      price_list_currency_fixed: async () => ({
        path: '/operator/v1/price-lists/1/',
        json: { price_list_name: 'Standard', currency_code: 'KWD' },
        details: { price_list_id: 1, currency_code: 'EUR' },
      }),
    },
  },
  'GET /operator/v1/currencies/': {
    success: async ({ operators }) => {
      await operators.ok('PUT', '/operator/v1/currencies/KWD/', { minor_digits: 3, rate: 3.05 })
      return {
        path: '/operator/v1/currencies/',
        data: [
          { currency_code: 'EUR', minor_digits: 2, rate: 1 },
          { currency_code: 'KWD', minor_digits: 3, rate: 3.05 },
        ],
      }
    },
    refusals: {},
  },
  'PUT /operator/v1/currencies/{currency_code}/': {
    success: async () => ({
      path: '/operator/v1/currencies/KWD/',
      json: { minor_digits: 3, rate: 3.051 },
      data: { currency_code: 'KWD', minor_digits: 3, rate: 3.051 },
    }),
    refusals: {
      currency_digits_fixed: async () => ({
        path: '/operator/v1/currencies/EUR/',
        json: { minor_digits: 3, rate: 1 },
        details: { currency_code: 'EUR', minor_digits: 2 },
      }),
    },
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
    success: async () => ({
      path: '/operator/v1/stocks/3/closures/2026-12-24/',
      data: { stock_id: 3, date: '2026-12-24', closed: true },
    }),
    refusals: { stock_not_found: noStock('closures/2026-12-24/') },
  },
  'DELETE /operator/v1/stocks/{stock_id}/closures/{date}/': {
    success: async () => ({
      path: '/operator/v1/stocks/3/closures/2026-12-23/',
      data: { stock_id: 3, date: '2026-12-23', closed: false },
    }),
    refusals: { stock_not_found: noStock('closures/2026-12-24/') },
  },
  'GET /operator/v1/catalogue-changes/': {
    success: async ({ operators }) => {
      await operators.ok('PUT', '/operator/v1/price-lists/2/prices/6/', { price: 6 })
      await operators.ok('PUT', '/operator/v1/price-lists/2/prices/6/', { price: 5 })
      return {
        path: '/operator/v1/catalogue-changes/?limit=1',
        data: [
          {
            change_id: anyId,
            changed_at: at,
            changed: 'price',
            data: { price_list_id: 2, item_id: 6, price: 5, price_before: 6 },
            actor: anyText,
            request_id: anyText,
          },
        ],
      }
    },
    refusals: {},
  },
}
