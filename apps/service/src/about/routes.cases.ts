import packageJson from '../../package.json' with { type: 'json' }
import { scopes } from '../identity/actor.ts'
import type { RouteCases } from '../testing/cases.ts'
import { at } from '../testing/mask-volatile.ts'

export const aboutCases: Record<string, RouteCases> = {
  'GET /api/v1/service/': {
    success: async ({ me }) => ({
      path: '/api/v1/service/',
      data: {
        service_version: packageJson.version,
        time_zone: 'UTC',
        now: at,
        client_id: me.client_id,
        client_name: 'Garage Weber',
        contact_id: me.contact_id,
        contact_name: 'Anna Weber',
        unique_references: false,
        key: {
          key_id: me.key_id,
          scopes: [...scopes],
          expires_at: null,
          rate_per_second: null, // Tests run without rate limits.
          rate_burst: null,
        },
        limits: {
          page_size: 500,
          carts: 1_000,
          empty_cart_days: 30,
          cart_lines: 1_000,
          line_quantity: 1_000_000,
          bulk_rows: 1_000,
          articles: 100,
          shipping_days_ahead: 3650,
          events_kept_days: 90,
        },
      },
    }),
    refusals: {},
    foreign: 'has no ids',
  },
}
