/** The `data` of event types that have fields of their own, as the API reference shows it. */
import Type from 'typebox'
import { scopeWords } from '../keys/client-key.ts'
import { ContractTerms } from '../clients/contract-terms.ts'
import { Contract } from '../clients/contracts/list-contracts.ts'
import { Order } from '../orders/order.ts'
import { metadataOf } from '../input/metadata.ts'
import { OrderDocument } from '../orders/order-document.ts'
import { OrderReturn, Shipment } from '../orders/order-goods.ts'
import { refer, word, type WordList } from '../vocabulary/schema-parts.ts'

export const pausedReasons: WordList = {
  name: 'PausedReason',
  meaning:
    'Why a webhook endpoint is paused: `owner` (by the client), `operator` (by the distributor), `gone` (it answered 410), `failing` (no delivery has succeeded for three days).',
  words: ['owner', 'operator', 'gone', 'failing'],
}

const contract_id = Type.Integer({ description: 'The contract.' })
const block_reason = Type.String({ description: 'Why.' })
const contact_id = Type.Integer({ description: 'The contact.' })
const key_id = Type.Integer({ description: 'The key. Its value is not shown.' })
const webhook_id = Type.Integer({ description: 'The endpoint.' })
const client_name = Type.String({ description: 'The name of the client.' })
const contact_name = Type.String({ description: 'The name of the contact.' })
const origin = Type.String({ description: 'The origin of its URL.' })
const event_types = Type.Array(Type.String(), { description: 'The event types that it receives; empty means all.' })

export const ownEventData = {
  contractUsed: Type.Object({
    ...Contract.properties,
    contract_used: Type.Number({ description: 'The sum of its open orders.' }),
  }),
  contractChanged: Type.Object({
    contract_id,
    ...Type.Partial(Type.Omit(Contract, ['contract_id'])).properties,
    ...Type.Partial(Type.Pick(ContractTerms, ['discount_percent', 'tax_mode', 'tax_percent'])).properties,
  }),
  contractBlocked: Type.Object({ contract_id, block_reason }),
  contractUnblocked: Type.Object({ contract_id }),
  clientBlocked: Type.Object({ block_reason }),
  clientUnblocked: Type.Object({}),
  orderShipped: Type.Object({ ...Order.properties, shipment: refer(Shipment) }),
  orderReturned: Type.Object({ ...Order.properties, return: refer(OrderReturn) }),
  metadataChanged: Type.Object({
    ...Order.properties,
    metadata: Type.Optional(metadataOf('All keys, after the change.')),
    before: Type.Optional(
      Type.Object(
        { metadata: Type.Optional(metadataOf('All keys, before.')) },
        { description: 'What it was before. Empty once it was erased.' },
      ),
    ),
  }),
  documentAdded: Type.Object({
    ...Order.properties,
    document: refer(OrderDocument),
    replaced: Type.Optional(refer(OrderDocument)),
  }),
  documentRemoved: Type.Object({ ...Order.properties, document: refer(OrderDocument) }),
  cartMarked: Type.Object({
    cart_id: Type.Integer({ description: 'The cart.' }),
    virtual: Type.Boolean({ description: 'Whether its orders reserve no stock.' }),
  }),
  serviceRestored: Type.Object({
    events_moved_by: Type.Integer({ description: 'What was added to the number of each earlier event.' }),
  }),
  clientCreated: Type.Object({ client_name }),
  clientChanged: Type.Object({
    client_name: Type.Optional(client_name),
    unique_references: Type.Optional(
      Type.Boolean({ description: 'Whether a second order with the same reference is refused.' }),
    ),
    stock_ids: Type.Optional(Type.Array(Type.Integer(), { description: 'The stocks that serve the client.' })),
  }),
  contact: Type.Object({ contact_id, contact_name }),
  keyIssued: Type.Object({
    key_id,
    contact_id,
    scopes: Type.Array(word(scopeWords, 'A scope.'), { description: 'What the key may do.' }),
  }),
  keyChanged: Type.Object({
    key_id,
    rate_per_second: Type.Optional(Type.Integer({ description: 'How many requests a second it may make.' })),
    rate_burst: Type.Optional(Type.Integer({ description: 'How many requests it may make at once after a pause.' })),
  }),
  keyEnded: Type.Object({ key_id, contact_id }),
  webhookCreated: Type.Object({ webhook_id, origin, event_types }),
  webhookChanged: Type.Object({
    webhook_id,
    origin: Type.Optional(origin),
    event_types: Type.Optional(event_types),
    active: Type.Optional(Type.Boolean({ description: 'Whether events are sent.' })),
    from_event_number: Type.Optional(Type.Integer({ description: 'The first event that is sent again.' })),
    secret: Type.Optional(Type.String({ description: '`rotated`, if the secret was rotated.' })),
  }),
  webhookPaused: Type.Object({
    webhook_id,
    paused_reason: word(pausedReasons, 'Why it was paused.'),
    paused_text: Type.String({ description: "The distributor's remark, or the result of the last attempt." }),
  }),
  webhookDeleted: Type.Object({ webhook_id, origin }),
}
