/** The distributor's side of clients' keys. */
import Type from 'typebox'
import { changeClientKey, ClientKey, issueClientKey, listClientKeys, revokeClientKey } from './client-keys.ts'
import { operatorActor, scopes, type Scope } from './actor.ts'
import { choices, day, id, integer, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const client_id = id('The client.', 12)

const key_id = id('The key.', 17)
const rateMax = 100_000 // More than an installation answers: as good as no limit.
const rates = {
  rate_per_second: optional(
    integer({ min: 1, max: rateMax, description: 'How many requests a second it may make.', example: 50 }),
  ),
  rate_burst: optional(
    integer({
      min: 1,
      max: rateMax,
      description: 'How many requests it may make at once after a pause.',
      example: 100,
    }),
  ),
}

export const clientKeyOperatorRoutes = (db: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/{client_id}/keys/',
    operationId: 'listClientKeys',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "List a client's keys",
    description: 'In the order in which they were issued; revoked ones too. A client that does not exist has none.',
    params: { client_id },
    query: pageFields,
    data: refer(ClientKey),
    paged: true,
    refusals: [],
    handle: ({ params, query }) => listClientKeys(db, { ...params, ...query }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/keys/',
    operationId: 'issueClientKey',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "Issue a client's key",
    description: `The key is shown this once. To rotate a key, issue a second one, let the client change over to it, and revoke the first. Without rates, it may make 50 requests a second and 100 at once.`,
    params: { client_id },
    form: {
      contact_id: id('The contact it is issued to.', 31),
      scopes: optional(
        choices<Scope>(scopes, { description: 'What it may do; everything if absent.', example: ['orders:read'] }),
      ),
      ...rates,
      expires_on: optional(day({ description: 'The first day on which it no longer works.', example: '2027-06-30' })),
    },
    data: Type.Object({
      key_id: Type.Integer({ description: 'Names the key in paths and in the log.' }),
      key: Type.String({ description: 'The key itself, for the Authorization header.' }),
    }),
    refusals: ['client_not_found', 'contact_not_found'],
    handle: ({ actor, params, form: { expires_on, ...form }, request_id }) =>
      issueClientKey(db, { ...params, ...form, expires_at: expires_on, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/keys/{key_id}/',
    operationId: 'changeClientKey',
    urgency: 'orders',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "Change a client's key",
    description: 'How often it may be used. It holds within 5 seconds.',
    params: { key_id },
    form: rates,
    partial: true,
    data: refer(ClientKey),
    refusals: ['nothing_to_change', 'key_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      changeClientKey(db, { ...params, changes: form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/keys/{key_id}/',
    operationId: 'revokeClientKey',
    urgency: 'orders',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "Revoke a client's key",
    description: 'Every process refuses it within 5 seconds. Revoking it again changes nothing.',
    params: { key_id },
    data: refer(ClientKey),
    refusals: ['key_not_found'],
    handle: ({ actor, params, request_id }) =>
      revokeClientKey(db, { ...params, actor: operatorActor(actor), request_id }),
  }),
]
