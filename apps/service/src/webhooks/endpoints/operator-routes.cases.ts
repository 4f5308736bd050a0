import type { OperatorCases } from '../../testing/cases.ts'
import { webhook } from '../../testing/network/endpoints.ts'
import { anyText } from '../../testing/mask-volatile.ts'
import { unknownId } from '../../testing/world.ts'
import { addAttempt, attemptView, changed, made, paused, pausedByOperator, webhookView } from './routes.cases.ts'

const unknownToOperator = (rest: string, json?: object): OperatorCases['refusals'] => ({
  webhook_not_found: async () => ({
    path: `/operator/v1/webhooks/${unknownId}/${rest}/`,
    ...(json && { json }),
    details: { webhook_id: unknownId },
  }),
})

export const webhookOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/webhooks/': {
    success: async (world) => {
      await world.service.sql('delete from webhooks')
      await world.service.sql('update clients set webhook_count = 0')
      const webhook_id = await webhook(world)
      // The URL depends on the role: whole-urls.test.ts.
      return {
        path: '/operator/v1/webhooks/',
        data: [{ client_id: world.me.client_id, ...webhookView(webhook_id, made), url: anyText }],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/webhooks/{webhook_id}/deliveries/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      await addAttempt(world, webhook_id)
      return { path: `/operator/v1/webhooks/${webhook_id}/deliveries/`, data: [attemptView] }
    },
    refusals: unknownToOperator('deliveries'),
  },
  'POST /operator/v1/webhooks/{webhook_id}/pause/': {
    success: async (world) => {
      const webhook_id = await webhook(world)
      return {
        path: `/operator/v1/webhooks/${webhook_id}/pause/`,
        json: { text: 'Too much.' },
        data: {
          client_id: world.me.client_id,
          ...webhookView(webhook_id, made),
          ...paused,
          paused_reason: 'operator',
          paused_text: 'Too much.',
        },
      }
    },
    refusals: unknownToOperator('pause', { text: 'Too much.' }),
  },
  'POST /operator/v1/webhooks/{webhook_id}/resume/': {
    success: async (world) => {
      const webhook_id = await pausedByOperator(world)
      return {
        path: `/operator/v1/webhooks/${webhook_id}/resume/`,
        data: { client_id: world.me.client_id, ...webhookView(webhook_id, made), ...changed },
      }
    },
    refusals: unknownToOperator('resume'),
  },
}
