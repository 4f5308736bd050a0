/** The delivery addresses that a client has saved, for orders on the phone. */
import { listAddresses, SavedAddress } from './addresses.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { id } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

export const addressOperatorRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/{client_id}/addresses/',
    operationId: 'listClientAddresses',
    tag: 'On behalf',
    permission: 'view',
    summary: "List a client's saved addresses",
    description:
      'The delivery addresses that the client has saved, in the order of their ids. Orders for the client take an `address_id`. The list is empty for a client that does not exist.',
    params: { client_id: id('The client.', exampleIds.client_id) },
    query: pageFields,
    data: refer(SavedAddress),
    paged: true,
    refusals: [],
    handle: ({ db, params, page }) => listAddresses(db, params, page),
  }),
]
