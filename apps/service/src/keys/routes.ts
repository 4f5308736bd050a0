/** A client manages its own keys. It cannot issue any: an operator does. */
import { actorName } from '../identity/actor.ts'
import { OwnKey, ownKeyOf } from './client-key.ts'
import { listClientKeys } from './list-client-keys.ts'
import { revokeClientKey } from './revoke-client-key.ts'
import { endedIds } from '../vocabulary/example-ids.ts'
import { id } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const common = { tag: 'Keys', scope: 'keys:write' } as const

export const keyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/keys/',
    operationId: 'listKeys',
    ...common,
    summary: 'List keys',
    description:
      "All keys of the client in the order in which they were issued, other contacts' and revoked ones included. The keys themselves are not stored, so they are not shown.",
    query: pageFields,
    data: refer(OwnKey),
    paged: true,
    refusals: [],
    handle: async ({ db, actor, page }) => {
      const { data, next_cursor } = await listClientKeys(db, actor.client_id, page)
      return { data: data.map((key) => ownKeyOf(key, actor)), next_cursor }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}/',
    operationId: 'revokeKey',
    configures: true,
    changesKeys: true,
    urgency: 'orders',
    ...common,
    summary: 'Revoke a key',
    description:
      'Every process refuses it within 5 seconds, and it cannot be restored. Revoking it again changes nothing. A key may revoke itself: this response is then the last that it gets.',
    params: { key_id: id('The key.', endedIds.key_id) },
    data: refer(OwnKey),
    refusals: ['key_not_found'],
    handle: async ({ db, actor, params, request_id }) => {
      const { client_id } = actor
      return ownKeyOf(
        await revokeClientKey(db, { client_id, key_id: params.key_id, actor: actorName(actor), request_id }),
        actor,
      )
    },
  }),
]
