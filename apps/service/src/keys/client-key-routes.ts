/** Operators manage clients' keys. */
import { changeClientKey } from './change-client-key.ts'
import { ClientKey } from './client-key.ts'
import { issueClientKey } from './issue-client-key.ts'
import { IssuedKey } from './issued-key.ts'
import { listClientKeys } from './list-client-keys.ts'
import { revokeClientKey } from './revoke-client-key.ts'
import { operatorActor, scopes, type Scope } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { choices, day, id, integer, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const client_id = id('The client.', exampleIds.client_id)
const key_id = id('The key.', 17)

const rateMax = 100_000 // More than an installation can serve, so effectively no limit.
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

export const clientKeyOperatorRoutes = ({ keyDaysMax }: { readonly keyDaysMax: number }): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/{client_id}/keys/',
    operationId: 'listClientKeys',
    tag: 'Clients',
    permission: 'administer',
    summary: "List a client's keys",
    description:
      'In the order in which they were issued, revoked keys included. The list is empty for a client that does not exist.',
    params: { client_id },
    query: pageFields,
    data: refer(ClientKey),
    paged: true,
    refusals: [],
    handle: ({ db, params, page }) => listClientKeys(db, params.client_id, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/keys/',
    operationId: 'issueClientKey',
    configures: true,
    tag: 'Clients',
    permission: 'administer',
    trace: 'audit key_issued',
    summary: "Issue a client's key",
    description: `The response is the only place where the key is shown. To rotate a key, issue a second one, switch the client over to it, and revoke the first. By default, a key may make 50 requests a second and 100 at once.`,
    params: { client_id },
    form: {
      contact_id: id('The contact to issue it to.', exampleIds.contact_id),
      scopes: optional(
        choices<Scope>(scopes, { description: 'What it may do; everything by default.', example: ['orders:read'] }),
      ),
      ...rates,
      expires_on: optional(day({ description: 'The first day on which it no longer works.', example: '2027-06-30' })),
    },
    takesIdempotencyKey: true,
    data: IssuedKey,
    refusals: ['client_not_found', 'contact_not_found', 'idempotency_key_used', 'key_already_issued'],
    handle: ({ db, actor, params, form, request_id, retry }) =>
      issueClientKey(db, {
        client_id: params.client_id,
        contact_id: form.contact_id,
        scopes: form.scopes,
        rate_per_second: form.rate_per_second,
        rate_burst: form.rate_burst,
        expires_at: form.expires_on,
        keyDaysMax,
        actor: operatorActor(actor),
        request_id,
        retry,
      }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/keys/{key_id}/',
    operationId: 'changeClientKey',
    configures: true,
    changesKeys: true,
    urgency: 'orders',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event key.changed',
    summary: "Change a client's key",
    description: 'Changes its rate limit. Every process applies the new limit within 5 seconds.',
    params: { key_id },
    form: rates,
    partial: true,
    data: refer(ClientKey),
    refusals: ['nothing_to_change', 'key_not_found'],
    handle: ({ db, actor, params, form, request_id }) =>
      changeClientKey(db, { key_id: params.key_id, changes: form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/keys/{key_id}/',
    operationId: 'revokeClientKey',
    configures: true,
    changesKeys: true,
    urgency: 'orders',
    tag: 'Clients',
    permission: 'administer',
    trace: 'audit key_revoked',
    summary: "Revoke a client's key",
    description: 'Every process refuses it within 5 seconds. Revoking it again changes nothing.',
    params: { key_id },
    data: refer(ClientKey),
    refusals: ['key_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      revokeClientKey(db, { client_id: null, key_id: params.key_id, actor: operatorActor(actor), request_id }),
  }),
]
