import { withUsedKey, type OperatorWorld } from '../../testing/operators.ts'
import type { OperatorCases } from '../../testing/cases.ts'
import { lastEvents } from '../../testing/events.ts'
import { anyId, anyText, at } from '../../testing/mask-volatile.ts'
import { unknownId } from '../../testing/world.ts'
import { feedCursorOf } from '../../events/feed/read-feed.ts'

const path = '/operator/v1/feed-endpoints/'
const url = 'https://erp.example/parts/events'

export const feedEndpointView = {
  endpoint_id: anyId,
  url,
  event_types: [] as string[],
  active: true,
  paused_reason: null as string | null,
  paused_at: null as string | null,
  cursor: anyText as string,
  attempts: 0,
  failing_since: null,
  last_failure: null,
  next_attempt_at: null,
  previous_secret_until: null as string | null,
  created_at: at,
}

/** Tests of this file share the database with those of other routes: there is room for another one. */
async function made({ operators, service }: OperatorWorld): Promise<number> {
  await service.sql('delete from feed_endpoints')
  return (await operators.ok('POST', path, { url })).endpoint_id as number
}

const notFound = (rest: string, json?: object): OperatorCases['refusals'] => ({
  feed_endpoint_not_found: async () => ({
    path: `${path}${unknownId}/${rest}`,
    ...(json && { json }),
    details: { endpoint_id: unknownId },
  }),
})

/** The cursor of a position whose next events have expired. */
async function expiredCursor({ service }: OperatorWorld): Promise<string> {
  await service.sql(`insert into event_feed (expired_transaction, expired_client, expired_number) values ('0', 0, 1) on conflict do nothing`) // prettier-ignore
  return feedCursorOf({ generation: 0, after_transaction: '0', after_client: 0, after_number: 0 })
}

export const feedEndpointCases: Record<string, OperatorCases> = {
  [`GET ${path}`]: {
    success: async (world) => {
      const endpoint_id = await made(world)
      return { path, data: [{ ...feedEndpointView, endpoint_id }] }
    },
    refusals: {},
  },
  [`POST ${path}`]: {
    success: async (world) => {
      await world.service.sql('delete from feed_endpoints')
      const { next_cursor: cursor } = await lastEvents(world.service, world.operators)
      const event_types = ['order.created', 'order.shipped']
      return {
        path,
        json: { url: 'HTTPS://Erp.example:443/parts/../parts/events', event_types, cursor },
        data: { ...feedEndpointView, event_types, cursor, secret: anyText },
      }
    },
    refusals: {
      feed_endpoint_limit_reached: async (world) => {
        await made(world)
        for (let n = 1; n < 20; n++) await world.operators.ok('POST', path, { url })
        return { path, json: { url }, details: { limit: 20 } }
      },
      feed_endpoint_not_found: async (world) => {
        await world.service.sql('delete from feed_endpoints')
        const headers = { 'idempotency-key': `deleted ${world.me.client_id}`.replace(' ', '-') }
        const key = world.operators.keys.admin
        const { body } = await world.service.request('POST', path, { key, json: { url }, headers })
        const { endpoint_id } = body.data
        await world.operators.ok('DELETE', `${path}${endpoint_id}/`)
        return { path, json: { url }, headers, details: { endpoint_id } }
      },
      feed_expired: async (world) => {
        await world.service.sql('delete from feed_endpoints')
        return { path, json: { url, cursor: await expiredCursor(world) } }
      },
      idempotency_key_used: async (world) => {
        await world.service.sql('delete from feed_endpoints')
        return withUsedKey(world, path, { first: { url }, second: { url: `${url}/2` } })
      },
    },
  },
  [`PATCH ${path}{endpoint_id}/`]: {
    success: async (world) => {
      const endpoint_id = await made(world)
      return {
        path: `${path}${endpoint_id}/`,
        json: { url: `${url}?token=1`, event_types: [], active: false },
        data: {
          ...feedEndpointView,
          endpoint_id,
          url: `${url}?token=1`,
          active: false,
          paused_reason: 'operator',
          paused_at: at,
        },
      }
    },
    refusals: {
      nothing_to_change: async (world) => ({
        path: `${path}${await made(world)}/`,
        json: {},
        details: { known: ['url', 'event_types', 'active', 'cursor'] },
      }),
      ...notFound('', { active: false }),
      feed_expired: async (world) => {
        const endpoint_id = await made(world)
        return { path: `${path}${endpoint_id}/`, json: { cursor: await expiredCursor(world) } }
      },
    },
  },
  [`DELETE ${path}{endpoint_id}/`]: {
    success: async (world) => {
      const removed_endpoint_id = await made(world)
      return { path: `${path}${removed_endpoint_id}/`, data: { removed_endpoint_id } }
    },
    refusals: notFound(''),
  },
  [`POST ${path}{endpoint_id}/rotate-secret/`]: {
    success: async (world) => {
      const endpoint_id = await made(world)
      return {
        path: `${path}${endpoint_id}/rotate-secret/`,
        data: { ...feedEndpointView, endpoint_id, previous_secret_until: at, secret: anyText },
      }
    },
    refusals: {
      ...notFound('rotate-secret/'),
      idempotency_key_used: async (world) => {
        const endpoint_id = await made(world)
        const other = (await world.operators.ok('POST', path, { url })).endpoint_id as number
        const headers = { 'idempotency-key': `rotate-${endpoint_id}` }
        const key = world.operators.keys.admin
        await world.service.request('POST', `${path}${other}/rotate-secret/`, { key, headers })
        return {
          path: `${path}${endpoint_id}/rotate-secret/`,
          headers,
          details: { idempotency_key: headers['idempotency-key'] },
        }
      },
    },
  },
  [`POST ${path}{endpoint_id}/test/`]: {
    success: async (world) => {
      const endpoint_id = await made(world)
      return { path: `${path}${endpoint_id}/test/`, data: { endpoint_id } }
    },
    refusals: notFound('test/'),
  },
  [`GET ${path}{endpoint_id}/deliveries/`]: {
    success: async (world) => {
      const endpoint_id = await made(world)
      await world.service.sql(
        `insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, status, duration_ms)
         values ($1, 'feed_1_ab', 12, 1, 503, 187)`,
        [endpoint_id],
      )
      return {
        path: `${path}${endpoint_id}/deliveries/`,
        data: [
          {
            delivery_id: anyId,
            message_id: 'feed_1_ab',
            event_count: 12,
            attempt: 1,
            status: 503,
            error: null,
            duration_ms: 187,
            attempted_at: at,
          },
        ],
      }
    },
    refusals: notFound('deliveries/'),
  },
}
