/** The application: every route, one line per feature. It opens nothing: commands/api.ts opens its parts. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { cartOperatorRoutes } from './carts/operator-routes.ts'
import { cartRoutes } from './carts/routes.ts'
import { Cart } from './carts/cart.ts'
import { CartGroup, CartItem, CartItemDetail } from './carts/cart-item.ts'
import { Country, Region } from './catalogue/countries.ts'
import { Item } from './catalogue/item.ts'
import { OfferedItem } from './catalogue/list-items.ts'
import { CatalogueChange } from './catalogue/catalogue-changes.ts'
import { OperatorItem } from './catalogue/read-operator-item.ts'
import { Currency } from './catalogue/currencies.ts'
import { OperatorStock } from './catalogue/operator-stocks.ts'
import { PriceList } from './catalogue/price-lists.ts'
import { catalogueOperatorRoutes } from './catalogue/operator-routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { Stock } from './catalogue/stock.ts'
import { StockLevel } from './catalogue/stock-level.ts'
import type { Authenticator } from './access/authenticate.ts'
import { permitRole, permitScope } from './access/actor.ts'
import { ClientName, OperatorClient, ServedClient } from './clients/client.ts'
import { ClientKey } from './access/client-key.ts'
import { Contact } from './clients/contact.ts'
import { ContractTerms } from './clients/contract-terms.ts'
import { Contract } from './clients/list-contracts.ts'
import { clientKeyOperatorRoutes } from './access/client-key-routes.ts'
import { clientOperatorRoutes } from './clients/operator-routes.ts'
import { clientRoutes } from './clients/routes.ts'
import type { Config } from './config.ts'
import { FeedEvent } from './events/feed-event.ts'
import { eventOperatorRoutes } from './events/operator-routes.ts'
import { Event } from './events/event.ts'
import { eventRoutes } from './events/routes.ts'
import type { WaitingReaders } from './events/waiting-readers.ts'
import { serveHealth } from './http/listening/health.ts'
import { limitRate, type Buckets } from './http/listening/rate-limit.ts'
import type { Route } from './http/routing/route.ts'
import { refuseOtherMethods, serveRoutes, type ApiSide } from './http/routing/serve-routes.ts'
import type { Shedding } from './http/listening/shedding.ts'
import type { Actor, Operator } from './access/actor.ts'
import { Import, ImportError } from './imports/import.ts'
import type { ImportRunner } from './imports/import-runner.ts'
import { importOperatorRoutes } from './imports/operator-routes.ts'
import { makeServer } from './http/listening/server.ts'
import { OperatorKey } from './access/operator-key.ts'
import { operatorKeyRoutes } from './access/operator-key-routes.ts'
import { Adjustment } from './orders/adjustment.ts'
import { InboxEntry } from './orders/inbox-entry.ts'
import { OrderItem } from './orders/list-order-items.ts'
import { MoveResult } from './orders/move-orders.ts'
import { OperatorOrder } from './orders/operator-order.ts'
import { orderOperatorRoutes } from './orders/operator-routes.ts'
import { CancelledOrder, HistoryEntry, Order } from './orders/order.ts'
import { orderRoutes, OrderStateRule } from './orders/routes.ts'
import type { Database } from 'pg-statements/database.ts'
import { serveReference } from './reference/serve-reference.ts'
import { Violation } from './invariants/check-invariants.ts'
import { invariantOperatorRoutes } from './invariants/operator-routes.ts'
import { webhookOperatorRoutes } from './webhooks/operator-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { OperatorWebhook, Webhook, WebhookDelivery, WebhookWithSecret } from './webhooks/webhook.ts'

const schemas = [
  Country, Region, Stock, Contract, Item, OfferedItem,
  Cart, CartItem, CartGroup, CartItemDetail,
  HistoryEntry, Order, CancelledOrder, OrderItem, Adjustment, OrderStateRule, Event,
  OperatorKey, OperatorOrder, InboxEntry, MoveResult, FeedEvent, Contact, ContractTerms, OperatorClient, ClientName, ServedClient, ClientKey,
  OperatorItem, StockLevel, OperatorStock, PriceList, Currency, CatalogueChange, Import, ImportError, Violation,
  Webhook, WebhookWithSecret, OperatorWebhook, WebhookDelivery,
] // prettier-ignore

/** The operations of clients. */
export const clientSideRoutes = (db: Database, config: Config, readers: WaitingReaders): Route[] => [
  ...catalogueRoutes(db),
  ...clientRoutes(db),
  ...cartRoutes(db),
  ...orderRoutes(db, config),
  ...eventRoutes(db, readers, config),
  ...webhookRoutes(db, { allowHttp: config.webhooksAllowHttp, allowPrivate: config.webhooksAllowPrivate }),
]

/** The operations of the distributor's operators. `slowDb` is for statements that may take minutes. */
export const operatorSideRoutes = (db: Database, config: Config, imports: ImportRunner, slowDb: Database): Route[] => [
  ...orderOperatorRoutes(db, config),
  ...cartOperatorRoutes(db),
  ...eventOperatorRoutes(db, config),
  ...webhookOperatorRoutes(db),
  ...clientOperatorRoutes(db),
  ...clientKeyOperatorRoutes(db),
  ...catalogueOperatorRoutes(db),
  ...operatorKeyRoutes(db),
  ...importOperatorRoutes(db, imports, config.importRowsMax),
  ...invariantOperatorRoutes(slowDb),
]

/** What only tests set; see `ApiSide` and `sharedBuckets`. */
export interface TestOptions {
  readonly failOnUndeclaredRefusal?: boolean
  readonly redisDeadlineMs?: number
}

export interface AppParts {
  readonly db: Database
  /** For statements that may take minutes. */
  readonly slowDb: Database
  readonly clients: Authenticator<Actor>
  readonly operators: Authenticator<Operator>
  readonly imports: ImportRunner
  readonly readers: WaitingReaders
  readonly shedding: Shedding
  readonly buckets: Buckets
}

export async function makeApp(
  { db, slowDb, clients, operators, imports, readers, shedding, buckets }: AppParts,
  config: Config,
  logger: Logger,
  { failOnUndeclaredRefusal = false }: Pick<TestOptions, 'failOnUndeclaredRefusal'> = {},
): Promise<FastifyInstance> {
  const app = makeServer({ requestTimeoutMs: config.requestTimeoutMs, logger, shedding })
  for (const schema of schemas) app.addSchema(schema)
  await serveReference(app)
  serveHealth(app, db)
  app.addHook('preClose', async () => readers.close()) // Waiting readers get their answer before the server stops.

  const clientApi: ApiSide<Actor> = {
    authenticate: clients.authenticate,
    failOnUndeclaredRefusal,
    permit: permitScope,
    ...(config.rateLimit ? { limit: limitRate(buckets) } : {}),
    body: 'form',
  }
  const operatorApi: ApiSide<Operator> = {
    authenticate: operators.authenticate,
    failOnUndeclaredRefusal,
    permit: permitRole,
    body: 'json',
  }
  const clientSide = clientSideRoutes(db, config, readers)
  const operatorSide = operatorSideRoutes(db, config, imports, slowDb)
  shedding.cover([...clientSide, ...operatorSide])
  await app.register(async (api) => {
    serveRoutes(api, clientSide, clientApi)
    serveRoutes(api, operatorSide, operatorApi)
    refuseOtherMethods(api, [...clientSide, ...operatorSide])
  })
  return app
}
