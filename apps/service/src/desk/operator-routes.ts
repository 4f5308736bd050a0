/** Operator routes for the order desk: saved views, reasons for rejecting, and figures. */
import Type from 'typebox'
import { changeView } from './change-view.ts'
import { createView } from './create-view.ts'
import { deleteView } from './delete-view.ts'
import { listViews } from './list-views.ts'
import { Figures, readFigures } from './read-figures.ts'
import { readRejectReasons, reasonsMax, RejectReasons, setRejectReasons } from './reject-reasons.ts'
import { OrderView, viewFilters, viewsPerOperatorMax } from './view.ts'
import { operatorActor } from '../identity/actor.ts'
import { flag, id, optional, text, texts } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const view_id = id('The view.', 7)
const view_name = text({ max: 60, description: 'The name, unique among your views.', example: 'Late in Berlin' })
const shared = optional(flag({ description: 'Whether all operators see it. By default only you do.', example: true }))

export const deskRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/views/',
    operationId: 'listViews',
    tag: 'Desk',
    permission: 'view',
    summary: 'List saved views',
    description: 'Your own views of the list of orders and those that others share, oldest first.',
    query: pageFields,
    data: refer(OrderView),
    paged: true,
    refusals: [],
    handle: ({ db, actor, page }) => listViews(db, actor, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/views/',
    operationId: 'createView',
    configures: true,
    tag: 'Desk',
    permission: 'view',
    trace: 'audit view_created',
    summary: 'Save a view',
    description: `Keeps filters of the list of orders under a name. A view belongs to the key, or to the person at the identity provider. You can have ${viewsPerOperatorMax}. Saving the very same view again changes nothing.`,
    form: { view_name, filters: viewFilters, shared },
    data: refer(OrderView),
    refusals: ['view_name_taken', 'view_limit_reached'],
    handle: ({ db, actor, form, request_id }) =>
      createView(db, actor, {
        request_id,
        view_name: form.view_name,
        filters: form.filters,
        shared: form.shared ?? false,
      }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/views/{view_id}/',
    operationId: 'changeView',
    configures: true,
    tag: 'Desk',
    permission: 'view',
    trace: 'audit view_changed',
    summary: 'Change a view',
    description:
      'Changes the fields that are sent. You may change your own views; admins may also change those that others share.',
    params: { view_id },
    form: { view_name: optional(view_name), filters: optional(viewFilters), shared },
    partial: true,
    data: refer(OrderView),
    refusals: ['nothing_to_change', 'view_not_found', 'view_of_another', 'view_name_taken'],
    handle: ({ db, actor, params, form, request_id }) =>
      changeView(db, actor, {
        request_id,
        view_id: params.view_id,
        view_name: form.view_name,
        filters: form.filters,
        shared: form.shared,
      }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/views/{view_id}/',
    operationId: 'deleteView',
    configures: true,
    tag: 'Desk',
    permission: 'view',
    trace: 'audit view_deleted',
    summary: 'Delete a view',
    description: 'You may delete your own views; admins may also delete those that others share.',
    params: { view_id },
    data: Type.Object({ removed_view_id: Type.Integer({ description: 'The view that was deleted.' }) }),
    refusals: ['view_not_found', 'view_of_another'],
    handle: ({ db, actor, params, request_id }) => deleteView(db, actor, { ...params, request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/figures/',
    operationId: 'readFigures',
    tag: 'Desk',
    permission: 'view',
    summary: 'Read the figures of the last days',
    description:
      'Orders placed and shipped a day, the time from placing to shipping, and the value of what is open. The worker counts them every 10 minutes.',
    data: refer(Figures),
    refusals: [],
    handle: ({ db }) => readFigures(db),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/reject-reasons/',
    operationId: 'readRejectReasons',
    tag: 'Desk',
    permission: 'view',
    summary: 'Read the reasons for rejecting',
    description:
      'What the console offers when a request is rejected. Any other reason can be given too. While there is none, the console offers a few of its own.',
    data: refer(RejectReasons),
    refusals: [],
    handle: ({ db }) => readRejectReasons(db),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/reject-reasons/',
    operationId: 'setRejectReasons',
    configures: true,
    tag: 'Desk',
    permission: 'administer',
    trace: 'audit reject_reasons_changed',
    summary: 'Set the reasons for rejecting',
    description: 'Replaces all of them. Decisions that were made with an earlier reason keep it.',
    form: {
      reasons: texts({
        max: reasonsMax,
        lengthMax: 500, // As the reason of a rejection.
        description: 'The reasons, in the order in which they are offered; an empty list removes them.',
        example: ['Already being loaded.', 'Not enough of them.'],
      }),
    },
    data: refer(RejectReasons),
    refusals: [],
    handle: ({ db, actor, form, request_id }) =>
      setRejectReasons(db, { reasons: form.reasons, actor: operatorActor(actor), request_id }),
  }),
]
