import type { RouteCases } from '../testing/cases.ts'
import { availableDiscs, berlin, disc, hamburg } from '../testing/orders.ts'
import { unknownId, type World } from '../testing/world.ts'
import { countries } from './countries.ts'

async function offeredDisc(world: World) {
  return {
    ...disc,
    price: 10,
    currency_code: 'EUR',
    tax_mode: 'included',
    availability: [
      { ...berlin, available: await availableDiscs(world), back_order: false },
      { ...hamburg, available: 20, back_order: false },
    ],
  }
}

export const catalogueCases: Record<string, RouteCases> = {
  'GET /api/v1/countries/': {
    success: async () => ({ path: '/api/v1/countries/', data: [...countries] }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/regions/': {
    success: async () => ({
      path: '/api/v1/regions/?country_code=HK',
      data: [{ region_code: 'HK', region_name: 'Hong Kong', country_code: 'HK' }],
    }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/brands/': {
    success: async () => ({ path: '/api/v1/brands/?brand=bremsen-nord', data: [disc.brand] }),
    refusals: {},
    foreign: 'has no ids',
  },
  'GET /api/v1/items/': {
    success: async (world) => ({ path: '/api/v1/items/?search=bn-280-v', data: [await offeredDisc(world)] }),
    refusals: {
      contract_not_found: async () => ({
        path: `/api/v1/items/?contract_id=${unknownId}`,
        details: { contract_id: unknownId },
      }),
    },
    foreign: async ({ me }) => [
      [{ path: `/api/v1/items/?contract_id=${me.contract_id}` }, { path: `/api/v1/items/?contract_id=${unknownId}` }],
    ],
  },
  'GET /api/v1/items/{item_id}/': {
    success: async (world) => ({ path: '/api/v1/items/1/', data: await offeredDisc(world) }),
    refusals: {
      item_not_found: async () => ({ path: '/api/v1/items/5/', details: { item_id: 5 } }),
      contract_not_found: async () => ({
        path: `/api/v1/items/1/?contract_id=${unknownId}`,
        details: { contract_id: unknownId },
      }),
    },
    foreign: async ({ me }) => [
      [
        { path: `/api/v1/items/1/?contract_id=${me.contract_id}` },
        { path: `/api/v1/items/1/?contract_id=${unknownId}` },
      ],
    ],
  },
}
