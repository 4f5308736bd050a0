import { randomUUID } from 'node:crypto'
import type { OperatorCases } from '../testing/cases.ts'
import { byTheTests } from '../testing/fixtures.ts'
import { anyId, at } from '../testing/mask-volatile.ts'
import {
  expectedKey,
  sendAsOperator,
  withUsedKey,
  type OperatorRequest,
  type OperatorWorld,
} from '../testing/operators.ts'
import { unknownId, type World } from '../testing/world.ts'
import { scopes } from '../identity/actor.ts'
import { recordPerson } from './operators/record-person.ts'
import { issueOperatorKey } from './issue-operator-key.ts'
import { revokeClientKey } from './revoke-client-key.ts'

const keyOf = ({ client_id, key_id, contact_id }: World['me']) => ({
  client_id,
  key_id,
  contact_id,
  scopes: [...scopes],
  rate_per_second: 50,
  rate_burst: 100,
  created_at: at,
  expires_at: null,
  last_used_at: null,
})

/** The same request again; the first one has issued a key. */
async function issuedBefore({ service, operators }: OperatorWorld, path: string, json: object) {
  const request: OperatorRequest = { path, json, headers: { 'idempotency-key': randomUUID() } }
  const first = await sendAsOperator(service, 'POST', request, operators.keys.admin)
  return { ...request, details: { key_id: first.body.data.key_id } }
}

export const accessOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/clients/{client_id}/keys/': {
    success: async ({ me }) => ({
      path: `/operator/v1/clients/${me.client_id}/keys/`,
      data: [{ ...keyOf(me), revoked_at: null }],
    }),
    refusals: {},
  },
  'POST /operator/v1/clients/{client_id}/keys/': {
    success: async ({ me }) => ({
      path: `/operator/v1/clients/${me.client_id}/keys/`,
      json: {
        contact_id: me.contact_id,
        scopes: ['orders:read'],
        rate_per_second: 5,
        rate_burst: 7,
        expires_on: '2030-01-01',
      },
      data: { key_id: anyId, key: expectedKey },
    }),
    refusals: {
      client_not_found: async ({ me }) => ({
        path: `/operator/v1/clients/${unknownId}/keys/`,
        json: { contact_id: me.contact_id },
        details: { client_id: unknownId },
      }),
      contact_not_found: async ({ me }) => ({
        path: `/operator/v1/clients/${me.client_id}/keys/`,
        json: { contact_id: unknownId },
        details: { client_id: me.client_id, contact_id: unknownId },
      }),
      idempotency_key_used: (world) =>
        withUsedKey(world, `/operator/v1/clients/${world.me.client_id}/keys/`, {
          first: { contact_id: world.me.contact_id },
          second: { contact_id: world.me.contact_id, rate_burst: 7 },
        }),
      key_already_issued: (world) =>
        issuedBefore(world, `/operator/v1/clients/${world.me.client_id}/keys/`, { contact_id: world.me.contact_id }),
    },
  },
  'PATCH /operator/v1/keys/{key_id}/': {
    success: async ({ me }) => ({
      path: `/operator/v1/keys/${me.key_id}/`,
      json: { rate_burst: 500 },
      data: { ...keyOf(me), rate_burst: 500, revoked_at: null },
    }),
    refusals: {
      nothing_to_change: async ({ me }) => ({
        path: `/operator/v1/keys/${me.key_id}/`,
        json: {},
        details: { known: ['rate_per_second', 'rate_burst'] },
      }),
      key_not_found: async () => ({
        path: `/operator/v1/keys/${unknownId}/`,
        json: { rate_burst: 500 },
        details: { key_id: unknownId },
      }),
    },
  },
  'DELETE /operator/v1/keys/{key_id}/': {
    success: async ({ me }) => ({
      path: `/operator/v1/keys/${me.key_id}/`,
      data: { ...keyOf(me), revoked_at: at },
    }),
    refusals: {
      key_not_found: async () => ({ path: `/operator/v1/keys/${unknownId}/`, details: { key_id: unknownId } }),
    },
  },
  'GET /operator/v1/operator-keys/': {
    success: async ({ service }) => {
      const rows = await service.sql(
        `select k.key_id::integer, o.operator_id::integer, o.operator_name, k.role
         from operator_keys k join operators o on o.operator_id = k.operator_id order by k.key_id`,
      )
      const times = { created_at: at, expires_at: null, revoked_at: null, last_used_at: null }
      return {
        path: '/operator/v1/operator-keys/?limit=4',
        data: rows.slice(0, 4).map((row) => ({ ...row, ...times })),
      }
    },
    refusals: {},
  },
  'POST /operator/v1/operator-keys/': {
    success: async () => ({
      path: '/operator/v1/operator-keys/',
      json: { operator_name: 'Anna Berg', role: 'decider', expires_on: '2030-01-01' },
      data: { key_id: anyId, key: expectedKey },
    }),
    refusals: {
      operator_not_found: async () => ({
        path: '/operator/v1/operator-keys/',
        json: { operator_id: unknownId, operator_name: 'Anna Berg', role: 'decider' },
        details: { operator_id: unknownId },
      }),
      idempotency_key_used: (world) =>
        withUsedKey(world, '/operator/v1/operator-keys/', {
          first: { operator_name: 'Anna Berg', role: 'decider' },
          second: { operator_name: 'Anna Berg', role: 'admin' },
        }),
      key_already_issued: (world) =>
        issuedBefore(world, '/operator/v1/operator-keys/', { operator_name: 'Anna Berg', role: 'decider' }),
    },
  },
  'DELETE /operator/v1/operator-keys/{key_id}/': {
    success: async ({ service }) => {
      const { key_id } = await issueOperatorKey(service.db, {
        operator_name: 'Gone',
        role: 'viewer',
        ...byTheTests,
      })
      return {
        path: `/operator/v1/operator-keys/${key_id}/`,
        data: {
          key_id,
          operator_id: anyId,
          operator_name: 'Gone',
          role: 'viewer',
          created_at: at,
          expires_at: null,
          revoked_at: at,
          last_used_at: null,
        },
      }
    },
    refusals: {
      key_not_found: async () => ({
        path: `/operator/v1/operator-keys/${unknownId}/`,
        details: { key_id: unknownId },
      }),
    },
  },
  'GET /operator/v1/operators/': {
    success: async ({ service }) => {
      const rows = await service.sql(`
        select o.operator_id::integer, o.operator_name, array[k.role] as roles
        from operators o join operator_keys k on k.operator_id = o.operator_id order by o.operator_id`)
      const account = { issuer: null, subject: null }
      return {
        path: '/operator/v1/operators/?limit=4',
        data: rows.slice(0, 4).map((row) => ({ ...row, ...account, created_at: at, erased_at: null, keys: 1 })),
      }
    },
    refusals: {},
  },
  'POST /operator/v1/operators/{operator_id}/erase/': {
    success: async ({ service }) => {
      const operator_id = await recordPerson(service.db, {
        issuer: 'https://id.example',
        subject: randomUUID(),
        operator_name: 'Anna Berg',
      })
      return {
        path: `/operator/v1/operators/${operator_id}/erase/`,
        data: { operator_id, operator_name: 'Erased operator', revoked_keys: 0, ended_sessions: 0 },
      }
    },
    refusals: {
      operator_not_found: async () => ({
        path: `/operator/v1/operators/${unknownId}/erase/`,
        details: { operator_id: unknownId },
      }),
    },
  },
  'GET /operator/v1/audit/': {
    success: async ({ me, service }) => {
      await revokeClientKey(service.db, { client_id: null, key_id: me.key_id, ...byTheTests })
      const { client_id, contact_id, key_id } = me
      const entry = (audit_action: string) => ({
        audit_id: anyId,
        audit_action,
        audit_datetime: at,
        client_id,
        client_name: 'Garage Weber',
        contact_id,
        contact_name: 'Anna Weber',
        key_id,
        session_id: null,
        operator_id: null,
        operator_name: null,
        subject: null,
        old_value: null,
        new_value: null,
        ...byTheTests,
        actor_operator: null,
      })
      return {
        path: `/operator/v1/audit/?client_id=${client_id}`,
        data: [entry('key_revoked'), { ...entry('key_issued'), new_value: { scopes: [...scopes], expires_at: null } }],
      }
    },
    refusals: {},
  },
}
