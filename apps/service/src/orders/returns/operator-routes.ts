/** Operators decide clients' requests to return goods. */
import { acceptReturnRequest, rejectReturnRequest } from './decide-return.ts'
import { ListedReturnRequest, listReturnRequests } from './list-return-requests.ts'
import { OperatorReturnRequest, returnRequestStatuses } from '../return-request.ts'
import { operatorActor } from '../../identity/actor.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { expectedPieces } from '../../input/expected.ts'
import { id, listed, optional, text } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const return_request_id = id('The request to return goods.', exampleIds.return_request_id)

const expected = expectedPieces('How many pieces of the order were shipped and have not come back', 5)

export const returnDecisionRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/return-requests/',
    operationId: 'listReturnRequests',
    tag: 'Decisions',
    permission: 'view',
    summary: "List all clients' requests to return goods",
    description: 'Open and decided ones, newest first. Those that are `ACCEPTED` are on their way.',
    query: {
      status: optional(
        listed(returnRequestStatuses, {
          description: 'Only requests with this status, or with one of several that are separated by commas.',
          example: ['WAIT', 'ACCEPTED'],
        }),
      ),
      client_id: optional(id('Only requests of this client.', exampleIds.client_id)),
      ...pageFields,
    },
    data: refer(ListedReturnRequest),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listReturnRequests(db, query, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/return-requests/{return_request_id}/accept/',
    operationId: 'acceptReturnRequest',
    tag: 'Decisions',
    permission: 'decide',
    trace: 'event return_request.decided',
    summary: 'Accept a request to return goods',
    description:
      'Says how the goods come back. When they have arrived, record a return that names the request. It is refused if the goods have come back without a request meanwhile.',
    params: { return_request_id },
    form: {
      instruction: text({
        max: 500,
        description: 'How the goods come back; shown to the client.',
        example: 'Send them to our Berlin stock with this number on the parcel.',
      }),
      expected,
    },
    data: refer(OperatorReturnRequest),
    refusals: ['return_request_not_found', 'return_request_decided', 'quantity_not_returnable', 'expected_differs'],
    handle: ({ db, actor, params, form, request_id }) =>
      acceptReturnRequest(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/return-requests/{return_request_id}/reject/',
    operationId: 'rejectReturnRequest',
    tag: 'Decisions',
    permission: 'decide',
    trace: 'event return_request.decided',
    summary: 'Reject a request to return goods',
    description:
      'Also one that was accepted and whose goods do not come: the client can then request to return them again. The client can read the reason in the request.',
    params: { return_request_id },
    form: {
      message: text({ max: 500, description: 'The reason; shown to the client.', example: 'It was used.' }),
      expected,
    },
    data: refer(OperatorReturnRequest),
    refusals: ['return_request_not_found', 'return_request_decided', 'expected_differs'],
    handle: ({ db, actor, params, form, request_id }) =>
      rejectReturnRequest(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
]
