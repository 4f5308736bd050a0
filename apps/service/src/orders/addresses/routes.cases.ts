import { addressesMax } from './addresses.ts'
import type { RouteCases } from '../../testing/cases.ts'
import { address, shownAddress } from '../../testing/fixtures.ts'
import { anyId } from '../../testing/mask-volatile.ts'
import { unknownId, type World } from '../../testing/world.ts'

const path = '/api/v1/addresses/'

export async function savedAddress({ shop }: World): Promise<number> {
  return (await shop.ok('PUT', path, { address_name: 'Workshop North', ...address })).address_id
}

export const addressCases: Record<string, RouteCases> = {
  'GET /api/v1/addresses/': {
    success: async (world) => ({
      path,
      data: [{ address_id: await savedAddress(world), address_name: 'Workshop North', ...shownAddress }],
    }),
    refusals: {},
    foreign: 'has no ids',
  },
  'PUT /api/v1/addresses/': {
    success: async () => ({
      path,
      form: { address_name: 'Workshop North', ...address, recipient: 'Jonas Weber' },
      data: { address_id: anyId, address_name: 'Workshop North', ...shownAddress, recipient: 'Jonas Weber' },
    }),
    refusals: {
      country_code_unknown: async () => ({
        path,
        form: { address_name: 'A', ...address, country_code: 'XX' },
        details: { country_code: 'XX' },
      }),
      region_code_unknown: async () => ({
        path,
        form: { address_name: 'A', ...address, region_code: 'FR-75' },
        details: { region_code: 'FR-75', country_code: 'DE' },
      }),
      addresses_full: async ({ service, me }) => {
        await service.sql(
          `insert into addresses (client_id, contact_id, address_name, zip, country_code, region_code, city, street, home)
           select $1, $2, 'Site ' || n, '1', 'DE', 'DE-BE', 'Berlin', 'A', '1' from generate_series(1, $3::integer) n`,
          [me.client_id, me.contact_id, addressesMax],
        )
        return { path, form: { address_name: 'One more', ...address }, details: { limit: addressesMax } }
      },
    },
    foreign: 'has no ids',
  },
  'DELETE /api/v1/addresses/{address_id}/': {
    success: async (world) => {
      const address_id = await savedAddress(world)
      return { path: `${path}${address_id}/`, data: { address_id } }
    },
    refusals: {
      address_not_found: async () => ({ path: `${path}${unknownId}/`, details: { address_id: unknownId } }),
    },
    foreign: async (other) => [[{ path: `${path}${await savedAddress(other)}/` }, { path: `${path}${unknownId}/` }]],
  },
}
