import type { CaseRequest, ForeignPair, RouteCases } from '../../testing/cases.ts'
import { webhook, webhookUrl } from '../../testing/network/endpoints.ts'
import { anyId, anyText, at } from '../../testing/mask-volatile.ts'
import { unknownId, type World } from '../../testing/world.ts'

export const webhookView = (webhook_id: unknown, delivered_event_number: number) => ({
  webhook_id,
  url: webhookUrl,
  event_types: [] as string[],
  active: true,
  paused_reason: null as string | null,
  paused_text: '',
  paused_at: null as string | null,
  delivered_event_number,
  attempts: 0,
  failing_since: null,
  last_failure: null,
  next_attempt_at: null as string | null,
  previous_secret_until: null as string | null,
  created_at: at,
})

/** A change makes the next attempt due immediately. */
export const changed = { next_attempt_at: at }
export const paused = { active: false, paused_at: at }

/** The event number of the endpoint's creation: a new client's first event is its key's. */
export const made = 2

export async function pausedByOperator(world: World): Promise<number> {
  const webhook_id = await webhook(world)
  await world.service.sql(
    `update webhooks set paused_reason = 'operator', paused_at = now(), paused_text = 'Ask us.' where webhook_id = $1`,
    [webhook_id],
  )
  return webhook_id
}

export async function addAttempt({ service, me }: World, webhook_id: number): Promise<void> {
  await service.sql(
    `insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, duration_ms)
     values ($1, $2, 3, 'order.created', 1, 503, 187)`,
    [me.client_id, webhook_id],
  )
}

export const attemptView = {
  delivery_id: anyId,
  event_number: 3,
  event_type: 'order.created',
  attempt: 1,
  status: 503,
  error: null,
  duration_ms: 187,
  attempted_at: at,
}

/** The same request for another client's endpoint and for an unknown one. */
const foreign =
  (rest = '', form?: CaseRequest['form']) =>
  async (other: World): Promise<ForeignPair[]> => {
    const withId = (id: number): CaseRequest => ({ path: `/api/v1/webhooks/${id}/${rest}`, ...(form ? { form } : {}) })
    return [[withId(await webhook(other)), withId(unknownId)]]
  }

const notFound = (rest = '', form?: CaseRequest['form']) => ({
  webhook_not_found: async () => ({
    path: `/api/v1/webhooks/${unknownId}/${rest}`,
    ...(form ? { form } : {}),
    details: { webhook_id: unknownId },
  }),
})

const pausedRefusal = (rest: string, form?: CaseRequest['form']) => ({
  webhook_paused_by_operator: async (world: World) => {
    const webhook_id = await pausedByOperator(world)
    return {
      path: `/api/v1/webhooks/${webhook_id}/${rest}`,
      ...(form ? { form } : {}),
      details: { webhook_id, paused_text: 'Ask us.' },
    }
  },
})

export const webhookCases: Record<string, RouteCases> = {
  'GET /api/v1/webhooks/': {
    success: async (world) => {
      const ids = [await webhook(world), await webhook(world)]
      return { path: '/api/v1/webhooks/', data: ids.map((id, n) => webhookView(id, made + n)) }
    },
    refusals: {},
    foreign: 'has no ids',
  },
  'PUT /api/v1/webhooks/': {
    success: async () => ({
      path: '/api/v1/webhooks/',
      form: {
        url: 'HTTPS://Dealer.example:443/hooks/../hooks/orders',
        event_types: 'order.created,order.state_changed',
      },
      data: { ...webhookView(anyId, made), event_types: ['order.created', 'order.state_changed'], secret: anyText },
    }),
    refusals: {
      webhook_limit_reached: async (world) => {
        for (let n = 0; n < 20; n++) await webhook(world)
        return { path: '/api/v1/webhooks/', form: { url: webhookUrl }, details: { limit: 20 } }
      },
      idempotency_key_used: async ({ service, me }) => {
        const request = { path: '/api/v1/webhooks/', headers: { 'idempotency-key': 'hook' } }
        await service.request('PUT', request.path, { ...request, key: me.key, form: { url: webhookUrl } })
        return { ...request, form: { url: `${webhookUrl}/other` }, details: { idempotency_key: 'hook' } }
      },
    },
    foreign: 'has no ids',
  },
  'GET /api/v1/webhooks/{webhook_id}/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      return { path: `/api/v1/webhooks/${webhook_id}/`, data: webhookView(webhook_id, made) }
    },
    refusals: notFound(),
    foreign: foreign(),
  },
  'PATCH /api/v1/webhooks/{webhook_id}/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      const form = { url: 'https://other.example/', event_types: 'order.created', active: 'false' }
      const data = { ...webhookView(webhook_id, made), url: form.url, event_types: ['order.created'] }
      return { path: `/api/v1/webhooks/${webhook_id}/`, form, data: { ...data, ...paused, paused_reason: 'owner' } }
    },
    refusals: {
      nothing_to_change: async (world) => ({
        path: `/api/v1/webhooks/${await webhook(world)}/`,
        form: {},
        details: { known: ['url', 'event_types', 'active'] },
      }),
      ...notFound('', { active: 'true' }),
      ...pausedRefusal('', { active: 'true' }),
    },
    foreign: foreign('', { url: webhookUrl }),
  },
  'DELETE /api/v1/webhooks/{webhook_id}/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      await addAttempt(world, webhook_id)
      return { path: `/api/v1/webhooks/${webhook_id}/`, data: { removed_webhook_id: webhook_id } }
    },
    refusals: notFound(),
    foreign: foreign(),
  },
  'PUT /api/v1/webhooks/{webhook_id}/rotate-secret/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      const data = { ...webhookView(webhook_id, made), ...changed, previous_secret_until: at, secret: anyText }
      return { path: `/api/v1/webhooks/${webhook_id}/rotate-secret/`, data }
    },
    refusals: {
      ...notFound('rotate-secret/'),
      idempotency_key_used: async (world) => {
        const headers = { 'idempotency-key': 'rotate' }
        const [first, second] = [await webhook(world), await webhook(world)]
        await world.service.request('PUT', `/api/v1/webhooks/${first}/rotate-secret/`, { key: world.me.key, headers })
        return {
          path: `/api/v1/webhooks/${second}/rotate-secret/`,
          headers,
          details: { idempotency_key: 'rotate' },
        }
      },
    },
    foreign: foreign('rotate-secret/'),
  },
  'PUT /api/v1/webhooks/{webhook_id}/test/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      return { path: `/api/v1/webhooks/${webhook_id}/test/`, data: { webhook_id } }
    },
    refusals: notFound('test/'),
    foreign: foreign('test/'),
  },
  'PUT /api/v1/webhooks/{webhook_id}/resume/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      await world.shop.ok('PATCH', `/api/v1/webhooks/${webhook_id}/`, { active: 'false' })
      return { path: `/api/v1/webhooks/${webhook_id}/resume/`, data: { ...webhookView(webhook_id, made), ...changed } }
    },
    refusals: { ...notFound('resume/'), ...pausedRefusal('resume/') },
    foreign: foreign('resume/'),
  },
  'PUT /api/v1/webhooks/{webhook_id}/replay/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      const data = { ...webhookView(webhook_id, 0), ...changed }
      return { path: `/api/v1/webhooks/${webhook_id}/replay/`, form: { from_event_number: 1 }, data }
    },
    refusals: {
      ...notFound('replay/', { from_event_number: 1 }),
      events_expired: async (world) => {
        const webhook_id = await webhook(world)
        await world.service.sql(
          `with gone as (delete from events where client_id = $1 and event_number = 1)
           update clients set first_event_number = 2 where client_id = $1`,
          [world.me.client_id],
        )
        return {
          path: `/api/v1/webhooks/${webhook_id}/replay/`,
          form: { from_event_number: 1 },
          details: { after: 0, first_event_number: 2 },
        }
      },
    },
    foreign: foreign('replay/', { from_event_number: 1 }),
  },
  'GET /api/v1/webhooks/{webhook_id}/deliveries/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      await addAttempt(world, webhook_id)
      return { path: `/api/v1/webhooks/${webhook_id}/deliveries/`, data: [attemptView] }
    },
    refusals: notFound('deliveries/'),
    foreign: foreign('deliveries/'),
  },
}
