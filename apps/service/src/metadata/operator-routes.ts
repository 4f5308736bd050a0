/** Operator routes that change metadata. It is read with the order, the client or the item. */
import Type from 'typebox'
import { changeClientMetadata, changeItemMetadata, changeOrderMetadata } from './change-metadata.ts'
import { operatorActor } from '../identity/actor.ts'
import { id } from '../input/fields.ts'
import { metadata, metadataKeysMax, metadataOf } from '../input/metadata.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { orderName, withOrderId } from '../orders/finding/named-order.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'

const form = {
  metadata: metadata({ description: 'What to set. An empty value removes its key; other keys stay.', empty: 'kept' }),
}
const data = Type.Object({ metadata: metadataOf('All keys, after the change.') })
const rule = `Texts by keys of your own, at most ${metadataKeysMax} of them, for your programs. Clients do not see them. Repeating the request changes nothing.`

export const metadataRoutes: readonly Route[] = [
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/orders/{order_id}/metadata/',
    operationId: 'changeOrderMetadata',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.metadata_changed',
    summary: "Change an order's metadata",
    description: `${rule} What the client has sent with the order is kept apart, in \`client_metadata\`. The event \`order.metadata_changed\` has the values for operators only.`,
    params: { order_id: orderName },
    form,
    data,
    refusals: ['order_not_found', 'metadata_full'],
    handle: async ({ db, actor, params, form: { metadata }, request_id }) =>
      changeOrderMetadata(db, {
        ...(await withOrderId(db, params)),
        metadata,
        actor: operatorActor(actor),
        request_id,
      }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/metadata/',
    operationId: 'changeClientMetadata',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event client.changed',
    summary: "Change a client's metadata",
    description: `${rule} The event \`client.changed\` has the values for operators only.`,
    params: { client_id: id('The client.', exampleIds.client_id) },
    form,
    data,
    refusals: ['client_not_found', 'metadata_full'],
    handle: ({ db, actor, params, form: { metadata }, request_id }) =>
      changeClientMetadata(db, { ...params, metadata, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/items/{item_id}/metadata/',
    operationId: 'changeItemMetadata',
    tag: 'Catalogue',
    permission: 'catalogue',
    trace: 'catalogue item',
    summary: "Change an item's metadata",
    description: `${rule} Imports of items leave them as they are.`,
    params: { item_id: id('The item.', 1024) },
    form,
    data,
    refusals: ['item_not_found', 'metadata_full'],
    handle: ({ db, actor, params, form: { metadata }, request_id }) =>
      changeItemMetadata(db, { ...params, metadata, actor: operatorActor(actor), request_id }),
  }),
]
