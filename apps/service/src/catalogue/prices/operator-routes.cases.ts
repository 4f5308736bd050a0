import type { OperatorCases } from '../../testing/cases.ts'
import { fresh } from '../../testing/stock.ts'
import { unknownId } from '../../testing/world.ts'

export const priceCases: Record<string, OperatorCases> = {
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
          price_breaks: [],
        },
        {
          item_id: 2,
          item_vendor_code: 'FW-2',
          item_title: 'Oil filter F2',
          on_sale: true,
          price: 1_000_000,
          price_breaks: [],
        },
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
        json: { price, expected: Number(row?.['price']), confirmed: true, price_breaks: [] },
        data: { price_list_id: 3, item_id: 1, price, price_breaks: [], outcome: 'changed' },
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
}
