/** The two documents: one for clients, one for operators. */
import { clientIntroduction } from './client-introduction.ts'
import { describeFeedMessages, describeWebhooks } from './describe-webhooks.ts'
import { codesOfSides, openapiDocument } from './openapi-document.ts'
import { operatorIntroduction } from './operator-introduction.ts'
import { clientEventUnion, operatorEventUnion } from '../events/event-union.ts'
import { Failure } from '../http/envelope.ts'
import type { Route } from '../http/routing/route.ts'
import { FeedMessage, FeedTest } from '../webhooks/feed-endpoints/feed-endpoint.ts'
import { WebhookMessage, WebhookTest } from '../webhooks/delivery/webhook-message.ts'

export interface ReferenceParts {
  readonly clientSide: readonly Route[]
  readonly operatorSide: readonly Route[]
  /** Every schema that a route may refer to, by its `$id`. */
  readonly schemas: readonly object[]
  readonly timeZone: string
}

export function makeDocuments({ clientSide, operatorSide, schemas, timeZone }: ReferenceParts): {
  client: object
  operator: object
} {
  const codes = codesOfSides(clientSide, operatorSide)
  const all = [
    ...schemas,
    Failure,
    WebhookMessage,
    WebhookTest,
    FeedMessage,
    FeedTest,
    ...clientEventUnion(),
    ...operatorEventUnion(),
  ]
  return {
    client: openapiDocument({
      title: 'Parts Ordering Service',
      description: (commonCodes) => clientIntroduction({ commonCodes, timeZone }),
      tags: clientTags,
      routes: clientSide,
      body: 'form',
      schemas: all,
      codes: codes.client,
      retryAnswer: 'returns the first response again',
      webhooks: describeWebhooks,
    }),
    operator: openapiDocument({
      title: 'Parts Ordering Service: operators',
      description: (commonCodes) => operatorIntroduction({ commonCodes, timeZone }),
      tags: operatorTags,
      routes: operatorSide,
      body: 'json',
      schemas: all,
      codes: codes.operator,
      retryAnswer: operatorRetryAnswer,
      webhooks: describeFeedMessages,
    }),
  }
}

const operatorRetryAnswer =
  'returns the first response again. Shipping, returning goods and adding a note return the order as it is now instead, creating an endpoint of the feed and rotating its secret return the endpoint as it is now, and issuing a key is refused with `key_already_issued`'

const clientTags = [
  { name: 'Carts', description: 'Items that a client is going to order.' },
  { name: 'Cart items', description: 'The lines of a cart, in groups. Each group becomes an order.' },
  { name: 'Orders', description: 'Place, read, reschedule and cancel orders.' },
  { name: 'Order items', description: 'The lines of an order, and requests to adjust them.' },
  { name: 'Addresses', description: 'Delivery addresses that the client saves.' },
  { name: 'Returns', description: 'Requests to return shipped goods.' },
  { name: 'Events', description: 'Everything that changed, in order.' },
  { name: 'Webhooks', description: "Send events to the client's own software." },
  { name: 'Keys', description: "See and revoke the client's own keys." },
  { name: 'Lookups', description: 'Items, stocks, contracts and other values that the operations take.' },
]

const operatorTags = [
  { name: 'On behalf', description: 'Carts and orders that an operator keeps for a client.' },
  { name: 'Decisions', description: 'Requests that wait for the distributor, and the decisions on them.' },
  { name: 'Orders', description: "All clients' orders, and moving them from state to state." },
  { name: 'Events', description: 'The feed of all events of all clients.' },
  { name: 'Clients', description: 'Clients, their contracts, contacts and keys.' },
  { name: 'Catalogue', description: 'Items, prices and stock levels, and importing them.' },
  { name: 'Desk', description: 'What operators keep for their own work: saved views, reasons and figures.' },
  { name: 'Access', description: 'The keys of operators.' },
  { name: 'System', description: 'Checks of the stored data.' },
]
