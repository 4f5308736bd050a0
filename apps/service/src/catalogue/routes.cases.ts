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

/** The position in a full pass. */
async function afterFirstItem({ service, me }: World): Promise<string> {
  const [row] = await service.sql(
    `select f.generation || '.' || offer_digest(c, '') || '.' || f.position || '.1.1' as position
     from item_feed f, contracts c where c.client_id = $1 and c.contract_default`,
    [me.client_id],
  )
  return Buffer.from(String(row?.['position'])).toString('base64url')
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
  'GET /api/v1/items/changes/': {
    success: async (world) => ({
      path: '/api/v1/items/changes/?limit=1',
      data: {
        items: [await offeredDisc(world)],
        gone: [],
        replaces: { first_item_id: 1, last_item_id: 1 },
        after: await afterFirstItem(world),
        more: true,
      },
    }),
    refusals: {
      contract_not_found: async () => ({
        path: `/api/v1/items/changes/?contract_id=${unknownId}`,
        details: { contract_id: unknownId },
      }),
    },
    foreign: async ({ me }) => [
      [
        { path: `/api/v1/items/changes/?contract_id=${me.contract_id}` },
        { path: `/api/v1/items/changes/?contract_id=${unknownId}` },
      ],
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
