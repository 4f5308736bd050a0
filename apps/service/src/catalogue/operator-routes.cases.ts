import type { OperatorCases } from '../testing/cases.ts'
import { anyId, anyText, at } from '../testing/mask-volatile.ts'
import { fresh } from '../testing/stock.ts'
import { unknownId } from '../testing/world.ts'

export const itemBody = {
  item_vendor_code: 'NV-17',
  item_barcode: '2000000000176',
  item_title: 'Wiper blade 600 mm',
  brand_name: 'Filterwerk',
  product_id: 12,
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
  quantity_min: 1,
  quantity_multiple: 1,
  replaced_by: null,
  substitutes: [],
  prices: [{ price_list_id: 2, price_list_name: 'Special', currency_code: 'EUR', price: 5, price_breaks: [] }],
  stock_levels: [{ stock_id: 1, stock_name: 'Berlin', on_hand: 10, reserved: 0, back_order: false }],
  metadata: {},
}

export const itemCases: Record<string, OperatorCases> = {
  'GET /operator/v1/brands/': {
    success: async () => ({ path: '/operator/v1/brands/?brand=filter%20werk', data: [plug.brand] }),
    refusals: {},
  },
  'GET /operator/v1/items/': {
    success: async () => ({
      path: '/operator/v1/items/?search=plug%20spark&brand=FILTERWERK&missing_price=1',
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
      return { path: `/operator/v1/items/${item_id}/`, json: itemBody, data: { item_id, outcome: 'added' } }
    },
    refusals: {},
  },
  'PUT /operator/v1/items/{item_id}/substitutes/': {
    success: async ({ operators }) => {
      const item_id = fresh()
      await operators.ok('PUT', `/operator/v1/items/${item_id}/`, itemBody)
      return {
        path: `/operator/v1/items/${item_id}/substitutes/`,
        json: { replaced_by: 1, substitutes: [3, 2] },
        data: { item_id, replaced_by: 1, substitutes: [3, 2] },
      }
    },
    refusals: {
      item_not_found: async () => ({
        path: '/operator/v1/items/5/substitutes/',
        json: { substitutes: [3, unknownId] },
        details: { item_id: unknownId },
      }),
    },
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
