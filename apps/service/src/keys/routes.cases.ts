import { scopes } from '../identity/actor.ts'
import { issueClientKey } from './issue-client-key.ts'
import type { RouteCases } from '../testing/cases.ts'
import { byTheTests } from '../testing/fixtures.ts'
import { at } from '../testing/mask-volatile.ts'
import { unknownId, type World } from '../testing/world.ts'

const issueAnother = async ({ service, me }: World): Promise<number> => {
  const { client_id, contact_id } = me
  return (await issueClientKey(service.db, { client_id, contact_id, scopes: ['orders:read'], ...byTheTests })).key_id
}

const keyView = (me: World['me'], key_id: number) => ({
  key_id,
  contact_id: me.contact_id,
  scopes: [...scopes] as string[],
  rate_per_second: 50,
  rate_burst: 100,
  created_at: at,
  expires_at: null,
  revoked_at: null as string | null,
  last_used_at: null,
  current: key_id === me.key_id,
})

export const keyCases: Record<string, RouteCases> = {
  'GET /api/v1/keys/': {
    success: async (world) => {
      const other = { ...keyView(world.me, await issueAnother(world)), scopes: ['orders:read'] }
      return { path: '/api/v1/keys/', data: [keyView(world.me, world.me.key_id), other] }
    },
    refusals: {},
    foreign: 'has no ids',
  },
  'DELETE /api/v1/keys/{key_id}/': {
    success: async (world) => {
      const key_id = await issueAnother(world)
      const data = { ...keyView(world.me, key_id), scopes: ['orders:read'], revoked_at: at }
      return { path: `/api/v1/keys/${key_id}/`, data }
    },
    refusals: {
      key_not_found: async () => ({ path: `/api/v1/keys/${unknownId}/`, details: { key_id: unknownId } }),
    },
    foreign: async ({ me }) => [[{ path: `/api/v1/keys/${me.key_id}/` }, { path: `/api/v1/keys/${unknownId}/` }]],
  },
}
