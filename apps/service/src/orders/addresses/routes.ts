/** The delivery addresses that a client saves. */
import Type from 'typebox'
import {
  addressesMax,
  deleteAddress,
  listAddresses,
  putAddress,
  SavedAddress,
  savedAddressFields,
} from './addresses.ts'
import { route, type Route } from '../../http/routing/route.ts'
import { id } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { endedIds } from '../../vocabulary/example-ids.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

export const addressRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/addresses/',
    operationId: 'listAddresses',
    tag: 'Addresses',
    scope: 'orders:read',
    summary: 'List saved addresses',
    description: 'The delivery addresses that the client has saved, in the order of their ids.',
    query: pageFields,
    data: refer(SavedAddress),
    paged: true,
    refusals: [],
    handle: ({ db, actor, page }) => listAddresses(db, actor, page),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/addresses/',
    operationId: 'putAddress',
    tag: 'Addresses',
    scope: 'orders:write',
    summary: 'Save an address',
    description: `Saves a delivery address under a name, in place of the one that has the name, which keeps its id. A client has at most ${addressesMax} addresses. Orders that were placed with it keep what it was then. It is deleted when the contact who saved it is erased.`,
    form: savedAddressFields,
    data: refer(SavedAddress),
    refusals: ['country_code_unknown', 'region_code_unknown', 'addresses_full'],
    handle: ({ db, actor, form }) => putAddress(db, actor, form),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/addresses/{address_id}/',
    operationId: 'deleteAddress',
    tag: 'Addresses',
    scope: 'orders:write',
    summary: 'Delete a saved address',
    params: { address_id: id('The address.', endedIds.address_id) },
    data: Type.Object({ address_id: Type.Integer({ description: 'The address that was deleted.' }) }),
    refusals: ['address_not_found'],
    handle: ({ db, actor, params }) => deleteAddress(db, actor, params),
  }),
]
