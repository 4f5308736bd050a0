import type { OperatorCases } from '../testing/cases.ts'
import { byTheTests } from '../testing/fixtures.ts'
import { anyId, at } from '../testing/mask-volatile.ts'
import type { OperatorWorld } from '../testing/operators.ts'
import { unknownId } from '../testing/world.ts'
import { roles } from '../identity/actor.ts'
import { recordPerson } from '../keys/operators/record-person.ts'
import { startSession } from './start-session.ts'

const times = { created_at: at, expires_at: at, last_used_at: null, ended_at: null }

/** A session of a person who signed in at an identity provider. */
async function sessionOf({ service }: OperatorWorld): Promise<number> {
  const { session } = await startSession(service.db, {
    operator_id: await recordPerson(service.db, {
      issuer: 'https://id.example',
      subject: 'anna',
      operator_name: 'Anna Berg',
    }),
    key_id: null,
    role: 'decider',
    sessionHours: 12,
    sessionIdleMinutes: 60,
    request_id: byTheTests.request_id,
  })
  return session.session_id
}

/** The session that an admin's browser has. */
async function cookieOf({ service, operators }: OperatorWorld): Promise<string> {
  const { headers } = await service.request('POST', '/operator/v1/sessions/', { key: operators.keys.admin, json: {} })
  return (headers['set-cookie'] ?? []).join('; ').split(';')[0] ?? ''
}

export const sessionOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/me/': {
    success: async ({ role }) => ({
      path: '/operator/v1/me/',
      data: {
        operator_id: anyId,
        operator_name: `Test ${role}`,
        role,
        permissions: [...roles[role]],
        key_id: anyId,
        session_id: null,
      },
    }),
    refusals: {},
  },
  'POST /operator/v1/sessions/': {
    success: async ({ role }) => ({
      path: '/operator/v1/sessions/',
      json: {},
      data: { session_id: anyId, operator_id: anyId, operator_name: `Test ${role}`, role, key_id: anyId, ...times },
    }),
    refusals: {
      key_required: async (world) => ({
        path: '/operator/v1/sessions/',
        json: {},
        headers: {
          authorization: '', // The cookie counts then.
          cookie: await cookieOf(world),
          origin: `http://127.0.0.1:${world.service.port}`,
        },
      }),
      key_sign_in_off: async () => ({
        settings: {
          KEY_SIGN_IN: 'off',
          OIDC_ISSUER: 'https://login.example',
          OIDC_CLIENT_ID: 'console',
          OIDC_ROLES: '{"desk":"decider"}',
          CONSOLE_ORIGIN: 'https://desk.example',
        },
        path: '/operator/v1/sessions/',
        json: {},
      }),
    },
  },
  'POST /operator/v1/me/sign-out/': {
    success: async ({ service, operators, role }) => {
      const key = operators.keys[role]
      const signIn = () => service.request('POST', '/operator/v1/sessions/', { key, json: {} })
      await service.request('POST', '/operator/v1/me/sign-out/', { key, json: { everywhere: true } })
      await signIn()
      await signIn()
      return { path: '/operator/v1/me/sign-out/', json: { everywhere: true }, data: { sessions_ended: 2 } }
    },
    refusals: {},
  },
  'GET /operator/v1/sessions/': {
    success: async (world) => {
      const session_id = await sessionOf(world)
      return {
        path: '/operator/v1/sessions/?limit=1',
        data: [{ session_id, operator_id: anyId, operator_name: 'Anna Berg', role: 'decider', key_id: null, ...times }],
      }
    },
    refusals: {},
  },
  'DELETE /operator/v1/sessions/{session_id}/': {
    success: async (world) => {
      const session_id = await sessionOf(world)
      return {
        path: `/operator/v1/sessions/${session_id}/`,
        data: {
          session_id,
          operator_id: anyId,
          operator_name: 'Anna Berg',
          role: 'decider',
          key_id: null,
          ...times,
          ended_at: at,
        },
      }
    },
    refusals: {
      session_not_found: async () => ({
        path: `/operator/v1/sessions/${unknownId}/`,
        details: { session_id: unknownId },
      }),
    },
  },
}
