/** The application: every route, one line per feature. It opens nothing: commands/api.ts opens its parts. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { ServiceInfo } from './about/describe-service.ts'
import { aboutRoutes } from './about/routes.ts'
import { serveConsole } from './console/serve-console.ts'
import { cartOperatorRoutes } from './carts/operator-routes.ts'
import { onBehalf } from './carts/on-behalf-routes.ts'
import { cartRoutes } from './carts/routes.ts'
import { BulkResult, BulkRow } from './carts/add-cart-items.ts'
import { OrderedResult, OrderedRow } from './carts/add-order-items.ts'
import { Cart } from './carts/cart.ts'
import { CartGroup, CartItem, CartItemDetail } from './carts/cart-item.ts'
import { GroupTotals, LineAvailability } from './carts/cart-totals.ts'
import { deskRoutes } from './desk/operator-routes.ts'
import { Figures } from './desk/read-figures.ts'
import { RejectReasons } from './desk/reject-reasons.ts'
import { OrderView } from './desk/view.ts'
import { Country, Region } from './catalogue/countries.ts'
import { Item } from './catalogue/item.ts'
import { OfferedItem } from './catalogue/list-items.ts'
import { ListedPrice } from './catalogue/list-prices.ts'
import { CatalogueChange } from './catalogue/catalogue-changes.ts'
import { OperatorItem } from './catalogue/read-operator-item.ts'
import { Currency } from './catalogue/currencies.ts'
import { OperatorStock } from './catalogue/operator-stocks.ts'
import { PriceList } from './catalogue/price-lists.ts'
import { closureRoutes } from './catalogue/closure-routes.ts'
import { Closure } from './catalogue/closures.ts'
import { catalogueOperatorRoutes } from './catalogue/operator-routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { Stock } from './catalogue/stock.ts'
import { StockLevel } from './catalogue/stock-level.ts'
import type { Authenticator } from './access/authenticate.ts'
import { clientShare, operatorShare, permitRole, permitScope } from './access/actor.ts'
import { BlockedClient, ListedClient, OperatorClient, ServedClient } from './clients/client.ts'
import { AuditEntry } from './access/audit-entry.ts'
import { ClientKey, OwnKey } from './access/client-key.ts'
import { keyRoutes } from './access/routes.ts'
import { Contact } from './clients/contact.ts'
import { ErasedContact } from './clients/erase-contact.ts'
import { ContractTerms } from './clients/contract-terms.ts'
import { Contract, ContractDetail } from './clients/list-contracts.ts'
import { clientKeyOperatorRoutes } from './access/client-key-routes.ts'
import { blockRoutes } from './clients/block-routes.ts'
import { clientOperatorRoutes } from './clients/operator-routes.ts'
import { clientRoutes } from './clients/routes.ts'
import type { Config } from './config.ts'
import { FeedEvent } from './events/feed-event.ts'
import { eventOperatorRoutes } from './events/operator-routes.ts'
import { Event } from './events/event.ts'
import { LogEntry } from './events/list-log.ts'
import { eventRoutes } from './events/routes.ts'
import type { WaitingReaders } from './events/waiting-readers.ts'
import { clientAddresses } from './http/listening/client-address.ts'
import type { Drain } from './http/listening/drain.ts'
import { openFailedKeys } from './http/listening/failed-keys.ts'
import { serveHealth } from './http/listening/health.ts'
import { answerOtherMethods, noteMethods } from './http/listening/other-methods.ts'
import { limitRate, type Buckets } from './http/listening/rate-limit.ts'
import { offeringCsv } from './http/routing/csv-list.ts'
import type { Route } from './http/routing/route.ts'
import { serveRoutes, type ApiSide } from './http/routing/serve-routes.ts'
import type { Tracer } from './telemetry/tracer.ts'
import type { Shedding } from './http/listening/shedding.ts'
import type { Actor, Operator } from './access/actor.ts'
import { Import, ImportError } from './imports/import.ts'
import { ImportChange } from './imports/import-changes.ts'
import type { ImportRunner } from './imports/import-runner.ts'
import { importOperatorRoutes } from './imports/operator-routes.ts'
import { serveRoot } from './http/listening/root.ts'
import { makeServer } from './http/listening/server.ts'
import { OperatorKey } from './access/operator-key.ts'
import { sessionOperatorRoutes } from './sessions/operator-routes.ts'
import { SignedSession } from './sessions/session.ts'
import { byKeyOrSession } from './sessions/by-key-or-session.ts'
import { serveSignIn } from './sessions/serve-sign-in.ts'
import { sessionTokenOf } from './sessions/session-cookie.ts'
import { operatorKeyRoutes } from './access/operator-key-routes.ts'
import { Adjustment, AdjustmentRequest, OperatorAdjustment, OperatorAdjustmentRequest } from './orders/adjustment.ts'
import { countRoutes } from './orders/count-routes.ts'
import { StockCount } from './orders/count-stock.ts'
import { holdRoutes } from './orders/hold-routes.ts'
import { InboxEntry } from './orders/inbox-entry.ts'
import { ListedAdjustment } from './orders/list-operator-adjustments.ts'
import { correctionRoutes } from './orders/correction-routes.ts'
import { LineChange } from './orders/line-change.ts'
import { MoveResult } from './orders/move-orders.ts'
import { OrderNote } from './orders/order-note.ts'
import { OrderReturn } from './orders/order-return.ts'
import { Counts } from './orders/read-counts.ts'
import { FullOrder, OperatorOrder } from './orders/operator-order.ts'
import { PickedOrder } from './orders/list-pick-list.ts'
import { PackingSlip } from './orders/packing-slip.ts'
import { printRoutes } from './orders/print-routes.ts'
import { namedByNumber } from './orders/named-by-number-routes.ts'
import { ordersOnBehalfRoutes } from './orders/on-behalf-routes.ts'
import { OrderForClient } from './orders/order-for-client.ts'
import { orderOperatorRoutes } from './orders/operator-routes.ts'
import { CancelledOrder, HistoryEntry, Order } from './orders/order.ts'
import { OrderActions } from './orders/order-actions.ts'
import { ownLabels } from './orders/order-states.ts'
import { OrderAddress, OrderTerms } from './orders/order-details.ts'
import { Shipment } from './orders/shipment.ts'
import { OrderItem, OrderLine } from './orders/order-line.ts'
import { orderRoutes, OrderStateRule } from './orders/routes.ts'
import type { Database } from 'pg-statements/database.ts'
import { checkReady } from './readiness/check-ready.ts'
import { serveReference } from './reference/serve-reference.ts'
import { Violation } from './invariants/check-invariants.ts'
import { invariantOperatorRoutes } from './invariants/operator-routes.ts'
import { makeSecretBox } from './webhooks/secret-box.ts'
import { webhookOperatorRoutes } from './webhooks/operator-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { OperatorWebhook, Webhook, WebhookDelivery, WebhookWithSecret } from './webhooks/webhook.ts'

const schemas = [
  ServiceInfo, Country, Region, Stock, Contract, ContractDetail, Item, OfferedItem,
  Cart, CartItem, CartGroup, CartItemDetail, GroupTotals, LineAvailability, BulkRow, BulkResult, OrderedRow, OrderedResult,
  HistoryEntry, Order, OrderAddress, OrderTerms, OrderLine, Shipment, OrderActions, CancelledOrder, OrderItem, Adjustment, AdjustmentRequest, OrderStateRule, Event,
  OperatorKey, OperatorOrder, FullOrder, PickedOrder, PackingSlip, OrderNote, OrderReturn, LineChange, OrderForClient, OperatorAdjustment, OperatorAdjustmentRequest, ListedAdjustment, InboxEntry, Counts, MoveResult, FeedEvent, LogEntry, Contact, ContractTerms, OperatorClient, ListedClient, ServedClient, BlockedClient, ClientKey, OperatorItem, ListedPrice, StockLevel, StockCount, Closure, OperatorStock, PriceList, Currency, CatalogueChange, Import, ImportError, ImportChange, Violation,
  Webhook, WebhookWithSecret, OperatorWebhook, WebhookDelivery, OwnKey, AuditEntry, SignedSession, ErasedContact, OrderView, RejectReasons, Figures,
] // prettier-ignore

/** The operations of clients. */
export const clientSideRoutes = (config: Config, readers: WaitingReaders): Route[] => [
  ...aboutRoutes({ ...config, serviceVersion: packageJson.version }),
  ...catalogueRoutes,
  ...clientRoutes,
  ...cartRoutes,
  ...orderRoutes(config),
  ...eventRoutes(readers, config),
  ...webhookRoutes(
    { allowHttp: config.webhooksAllowHttp, allowPrivate: config.webhooksAllowPrivate },
    makeSecretBox(config.webhookSecretKeys),
  ),
  ...keyRoutes,
]

/** The operations of the distributor's operators. `slowDb` is for statements that may take minutes. */
export const operatorSideRoutes = (config: Config, imports: ImportRunner, slowDb: Database): Route[] =>
  [
    ...orderOperatorRoutes(config),
    ...correctionRoutes(config),
    ...holdRoutes(config),
    ...printRoutes(config),
    ...countRoutes,
    ...deskRoutes,
    ...cartOperatorRoutes,
    ...eventOperatorRoutes(config),
    ...webhookOperatorRoutes,
    ...clientOperatorRoutes(slowDb),
    ...blockRoutes,
    ...clientKeyOperatorRoutes,
    ...catalogueOperatorRoutes(config),
    ...closureRoutes,
    ...operatorKeyRoutes,
    ...sessionOperatorRoutes(config),
    ...importOperatorRoutes(imports, config.importRowsMax),
    ...invariantOperatorRoutes(slowDb),
    ...ordersOnBehalfRoutes,
    ...cartRoutes.map(onBehalf),
  ]
    .map(namedByNumber)
    .map(offeringCsv)

/** What only tests set; see `ApiSide` and `sharedBuckets`. */
export interface TestOptions {
  readonly failOnUndeclaredRefusal?: boolean
  readonly redisDeadlineMs?: number
  readonly sessionUseIntervalMs?: number
}

/** Whom an app serves: both, or with OPERATOR_PORT each on a port of its own. */
export type ServedSide = 'clients' | 'operators'

export interface AppParts {
  readonly db: Database
  /** For keys and health checks, which must not wait behind requests. */
  readonly keysDb: Database
  /** For statements that may take minutes. */
  readonly slowDb: Database
  readonly clients: Authenticator<Actor>
  readonly operators: Authenticator<Operator>
  readonly sessions: Authenticator<Operator>
  readonly imports: ImportRunner
  readonly readers: WaitingReaders
  readonly shedding: Shedding
  readonly buckets: Buckets
  readonly drain: Drain
  readonly tracer: Tracer
}

export async function makeApp(
  { db, keysDb, slowDb, clients, operators, sessions, imports, readers, shedding, buckets, drain, tracer }: AppParts,
  config: Config,
  logger: Logger,
  sides: readonly ServedSide[],
  { failOnUndeclaredRefusal = false }: Pick<TestOptions, 'failOnUndeclaredRefusal'> = {},
): Promise<FastifyInstance> {
  const { requestTimeoutMs, corsOrigins, connectionsMax, connectionsPerAddressMax } = config
  const connections = { connectionsMax, connectionsPerAddressMax }
  const addresses = clientAddresses(config.trustedProxies)
  const failedKeys = openFailedKeys(config.failedKeysPerMinute, addresses)
  const app = makeServer({ requestTimeoutMs, logger, shedding, corsOrigins, connections, addresses, drain, tracer })
  const methods = noteMethods(app)
  for (const schema of schemas) app.addSchema(schema)
  serveHealth(app, drain, () => checkReady(keysDb))
  app.addHook('onClose', async () => failedKeys.close())
  app.addHook('preClose', async () => readers.close()) // Waiting readers get their answer before the server stops.

  const clientApi: ApiSide<Actor> = {
    db,
    shareOf: clientShare,
    authenticate: failedKeys.guard(clients.authenticate),
    failOnUndeclaredRefusal,
    permit: permitScope,
    ...(config.rateLimit ? { limit: limitRate(buckets) } : {}),
    body: 'form',
  }
  const operatorApi: ApiSide<Operator> = {
    db,
    shareOf: operatorShare,
    authenticate: byKeyOrSession(config, {
      byKey: failedKeys.guard(operators.authenticate),
      bySession: failedKeys.guard(sessions.authenticate, ({ headers }) => sessionTokenOf(headers)),
    }),
    failOnUndeclaredRefusal,
    permit: permitRole,
    body: 'json',
  }
  const clientSide = clientSideRoutes(config, readers)
  const operatorSide = operatorSideRoutes(config, imports, slowDb)
  shedding.cover([...clientSide, ...operatorSide])
  if (config.docs) {
    serveRoot(app, sides.includes('clients') ? '' : '/operator')
    serveReference(app, { clientSide, operatorSide, schemas, timeZone: config.timeZone }, sides)
  }
  if (sides.includes('operators')) {
    if (config.oidcIssuer !== '') serveSignIn(app, db, config)
    serveConsole(app, {
      identity_provider: config.oidcIssuer !== '',
      state_labels: ownLabels(config.stateLabels),
      time_zone: config.timeZone,
    })
  }
  await app.register(async (api) => {
    if (sides.includes('clients')) serveRoutes(api, clientSide, clientApi)
    if (sides.includes('operators')) serveRoutes(api, operatorSide, operatorApi)
    answerOtherMethods(api, methods)
  })
  return app
}
