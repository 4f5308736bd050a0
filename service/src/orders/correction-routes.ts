/** Operator routes that correct an order or note something about it. */
import { addNote } from './add-note.ts'
import { OperatorOrder } from './operator-order.ts'
import { notesMax } from './order-note.ts'
import type { StateLabels } from './order.ts'
import { operatorActor } from '../access/actor.ts'
import { exampleIds } from '../example-ids.ts'
import { flag, id, text } from '../input/fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'

const order_id = id('The order.', exampleIds.order_id)

export const correctionRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/notes/',
    operationId: 'addNote',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Add a note to an order',
    description: `An internal note is shown to operators only, in \`notes\` of the order, with its author; an order takes up to ${notesMax}. Any other note becomes an entry of the history, which the client reads, and the client gets the event \`order.noted\`.`,
    params: { order_id },
    form: {
      text: text({ max: 500, description: 'The note.', example: 'Call before loading.' }),
      internal: flag({ description: 'Whether only operators see it.', example: true }),
    },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_notes_full', 'order_history_full'],
    handle: ({ db, actor, params, form, request_id }) =>
      addNote(db, { ...params, ...form, actor: operatorActor(actor), request_id }, stateLabels),
  }),
]
