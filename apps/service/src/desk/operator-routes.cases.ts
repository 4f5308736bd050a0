import type { OperatorCases } from '../testing/cases.ts'
import { anyText, at } from '../testing/mask-volatile.ts'
import type { OperatorWorld, RoleWorld } from '../testing/operators.ts'
import { unknownId } from '../testing/world.ts'
import { viewsPerOperatorMax } from './view.ts'

const path = '/operator/v1/views/'
const late = { view_name: 'Late', filters: 'state=new%2Cprocessing&sort=ship_date' }

interface Made extends OperatorWorld {
  readonly role?: RoleWorld['role']
}

/** A view of an operator, who has no other. */
async function made({ service, operators, role = 'admin' }: Made, fields: object = {}): Promise<number> {
  await service.sql('delete from operator_views')
  const { body } = await service.request('POST', path, { key: operators.keys[role], json: { ...late, ...fields } })
  return body.data.view_id
}

const viewOf = (role: string, view_id: unknown, fields: object = {}): object => ({
  view_id,
  ...late,
  shared: false,
  owner_name: `Test ${role}`,
  own: true,
  changeable: true,
  changed_at: at,
  ...fields,
})

const unknownView = async () => ({
  path: `${path}${unknownId}/`,
  json: { view_name: 'Other' },
  details: { view_id: unknownId },
})

/** A viewer sees the admin's shared view and may not change it. */
const sharedByAdmin = async (world: OperatorWorld) => {
  const view_id = await made(world, { shared: true })
  return {
    path: `${path}${view_id}/`,
    json: { view_name: 'Other' },
    headers: { authorization: world.operators.keys.viewer },
    details: { view_id, owner_name: 'Test admin' },
  }
}

export const deskCases: Record<string, OperatorCases> = {
  'GET /operator/v1/views/': {
    success: async (world) => {
      const view_id = await made(world, { shared: true })
      return { path, data: [viewOf(world.role, view_id, { shared: true })] }
    },
    refusals: {},
  },
  'POST /operator/v1/views/': {
    success: async ({ service, role }) => {
      await service.sql(`delete from operator_views`)
      await service.sql(`alter sequence operator_views_view_id_seq restart with 800`)
      return { path, json: late, data: viewOf(role, 800) }
    },
    refusals: {
      view_name_taken: async (world) => {
        await made(world)
        return { path, json: { ...late, filters: 'held=true' }, details: { view_name: 'Late' } }
      },
      view_limit_reached: async (world) => {
        await made(world)
        await world.service.sql(
          `insert into operator_views (owner, view_name, filters, shared)
           select owner, 'Late ' || n, filters, shared from operator_views, generate_series(2, $1) n`,
          [viewsPerOperatorMax],
        )
        return { path, json: { ...late, view_name: 'One more' }, details: { limit: viewsPerOperatorMax } }
      },
    },
  },
  'PATCH /operator/v1/views/{view_id}/': {
    success: async (world) => {
      const view_id = await made(world)
      const json = { view_name: 'On hold', filters: 'held=true', shared: true }
      return { path: `${path}${view_id}/`, json, data: viewOf(world.role, view_id, json) }
    },
    refusals: {
      nothing_to_change: async (world) => ({
        path: `${path}${await made(world)}/`,
        json: {},
        details: { known: ['view_name', 'filters', 'shared'] },
      }),
      view_not_found: unknownView,
      view_of_another: sharedByAdmin,
      view_name_taken: async (world) => {
        const view_id = await made(world)
        await world.operators.ok('POST', path, { ...late, view_name: 'Other' })
        return { path: `${path}${view_id}/`, json: { view_name: 'Other' }, details: { view_name: 'Other' } }
      },
    },
  },
  'DELETE /operator/v1/views/{view_id}/': {
    success: async (world) => {
      const view_id = await made(world)
      return { path: `${path}${view_id}/`, data: { removed_view_id: view_id } }
    },
    refusals: {
      view_not_found: async () => {
        const { json: _, ...request } = await unknownView()
        return request
      },
      view_of_another: async (world) => {
        const { json: _, ...request } = await sharedByAdmin(world)
        return request
      },
    },
  },
  'GET /operator/v1/figures/': {
    success: async ({ service }) => {
      await service.sql('delete from daily_figures')
      await service.sql('delete from open_figures')
      await service.sql(
        `insert into daily_figures (day, placed, shipped, ship_hours, counted_at)
         select current_date - n, 400 + n, n, nullif(n, 0) * 12.5, now() from generate_series(0, 1) n`,
      )
      await service.sql(
        `insert into open_figures values ('processing', 3, 48.5, false, now()), ('new', 7, 0, true, now())`,
      )
      const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
      return {
        path: '/operator/v1/figures/',
        data: {
          days: [
            { date: day(1), placed: 401, shipped: 1, ship_hours: 12.5 },
            { date: day(0), placed: 400, shipped: 0, ship_hours: null },
          ],
          open: [
            { state_id: 'new', count: 7, total: 0, more: true },
            { state_id: 'processing', count: 3, total: 48.5, more: false },
          ],
          counted_at: at,
        },
      }
    },
    refusals: {},
  },
  'GET /operator/v1/reject-reasons/': {
    success: async ({ operators }) => {
      await operators.ok('PUT', '/operator/v1/reject-reasons/', { reasons: ['Sold out, "for now".', 'Loaded.'] })
      return {
        path: '/operator/v1/reject-reasons/',
        data: { reasons: ['Sold out, "for now".', 'Loaded.'], changed_at: at, changed_by: anyText },
      }
    },
    refusals: {},
  },
  'PUT /operator/v1/reject-reasons/': {
    success: async ({ service }) => {
      await service.sql(`update reject_reasons set reasons = '{}'`)
      return {
        path: '/operator/v1/reject-reasons/',
        json: { reasons: ['Loaded.', 'Sold out.'] },
        data: { reasons: ['Loaded.', 'Sold out.'], changed_at: at, changed_by: anyText },
      }
    },
    refusals: {},
  },
}
