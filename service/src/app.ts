/** The application: every route, one line a feature, behind one door. */
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
import { OperatorItem } from './catalogue/keep-item.ts'
import { Currency, OperatorStock, PriceList } from './catalogue/keep-places.ts'
import { catalogueOperatorRoutes } from './catalogue/operator-routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { Stock } from './catalogue/stock.ts'
import { StockLevel } from './catalogue/stock-level.ts'
import { clientKeyring, permitScope } from './access/client-keyring.ts'
import { ClientName, OperatorClient, ServedClient } from './clients/client.ts'
import { ClientKey } from './access/client-keys.ts'
import { Contact } from './clients/contact.ts'
import { ContractTerms } from './clients/contract-terms.ts'
import { Contract } from './clients/list-contracts.ts'
import { clientKeyOperatorRoutes } from './access/client-key-routes.ts'
import { clientOperatorRoutes } from './clients/operator-routes.ts'
import { clientRoutes } from './clients/routes.ts'
import type { Config } from './config.ts'
import { FeedEvent } from './events/event-feed.ts'
import { eventOperatorRoutes } from './events/operator-routes.ts'
import { Event } from './events/read-events.ts'
import { eventRoutes } from './events/routes.ts'
import { openWaitingReaders, type WaitingReaders } from './events/waiting-readers.ts'
import { serveHealth } from './http/listening/health.ts'
import { limitRate, ownBuckets, type Buckets } from './http/listening/rate-limit.ts'
import { serve, type Door, type Route } from './http/routing/route.ts'
import { sharedBuckets } from './http/listening/shared-buckets.ts'
import { openShedding } from './http/listening/shedding.ts'
import type { Actor, Operator } from './access/actor.ts'
import { Import, ImportError } from './imports/import.ts'
import { openImportRunner, type ImportRunner } from './imports/import-runner.ts'
import { importOperatorRoutes } from './imports/operator-routes.ts'
import { bodyBytesMax, makeServer, refuseOtherMethods, streamBodies } from './http/listening/server.ts'
import { operatorKeyring, permitRole } from './access/operator-keyring.ts'
import { OperatorKey } from './access/operator-keys.ts'
import { operatorKeyRoutes } from './access/operator-key-routes.ts'
import { Adjustment } from './orders/adjustment.ts'
import { InboxEntry } from './orders/inbox-entry.ts'
import { OrderItem } from './orders/list-order-items.ts'
import { MoveResult } from './orders/move-orders.ts'
import { OperatorOrder } from './orders/operator-order.ts'
import { orderOperatorRoutes } from './orders/operator-routes.ts'
import { CancelledOrder, HistoryEntry, Order } from './orders/order.ts'
import { orderRoutes, OrderStateRule } from './orders/routes.ts'
import { openDatabase, type Database } from 'pg-statements/database.ts'
import { serveReference } from './reference/serve-reference.ts'
import { Violation } from './invariants/check-invariants.ts'
import { systemOperatorRoutes } from './invariants/operator-routes.ts'
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

/** What clients can do. */
export const clientSideRoutes = (db: Database, config: Config, readers: WaitingReaders): Route[] => [
  ...catalogueRoutes(db),
  ...clientRoutes(db),
  ...cartRoutes(db),
  ...orderRoutes(db, config),
  ...eventRoutes(db, readers, config),
  ...webhookRoutes(db, { allowHttp: config.webhooksAllowHttp, allowPrivate: config.webhooksAllowPrivate }),
]

/** What the distributor's operators can do; `patient` is for what may take minutes. */
export const operatorSideRoutes = (db: Database, config: Config, imports: ImportRunner, patient: Database): Route[] => [
  ...orderOperatorRoutes(db, config),
  ...cartOperatorRoutes(db),
  ...eventOperatorRoutes(db, config),
  ...webhookOperatorRoutes(db),
  ...clientOperatorRoutes(db),
  ...clientKeyOperatorRoutes(db),
  ...catalogueOperatorRoutes(db),
  ...operatorKeyRoutes(db),
  ...importOperatorRoutes(db, imports, config.importRowsMax),
  ...systemOperatorRoutes(patient),
]

const operatorBodyBytesMax = 256 * 1024 // A thousand order ids, with room to spare.

export async function makeApp(db: Database, config: Config, logger: Logger): Promise<FastifyInstance> {
  const shedding = openShedding(config.shedAfterMs, () => db.waitMs())
  const app = makeServer({ requestTimeoutMs: config.requestTimeoutMs, logger, shedding })
  for (const schema of schemas) app.addSchema(schema)
  await serveReference(app)
  serveHealth(app, db)

  const patient = openDatabase({ ...config, url: config.databaseUrl, poolSize: 1, statementTimeoutMs: 10 * 60_000 })
  const clients = clientKeyring(db, config.keyUseIntervalMs)
  const operators = operatorKeyring(db, config.keyUseIntervalMs)
  const imports = openImportRunner({ ...config, url: config.databaseUrl }, logger)
  const readers = openWaitingReaders(db, logger)
  app.addHook('preClose', async () => readers.close())
  app.addHook('onClose', async () => {
    shedding.close()
    await Promise.all([clients.close(), operators.close(), imports.close(), patient.close()])
  })
  const clientDoor: Door<Actor> = {
    ...clients,
    permit: permitScope,
    ...(config.rateLimit ? { limit: limitRate(openBuckets(app, config, logger)) } : {}),
    body: 'form',
    bodyBytesMax,
  }
  const operatorDoor: Door<Operator> = {
    ...operators,
    permit: permitRole,
    body: 'json',
    bodyBytesMax: operatorBodyBytesMax,
  }
  const clientSide = clientSideRoutes(db, config, readers)
  const operatorSide = operatorSideRoutes(db, config, imports, patient)
  const [streams, forms] = [operatorSide.filter(({ rows }) => rows), operatorSide.filter(({ rows }) => !rows)]
  await app.register(async (api) => {
    for (const route of clientSide) serve(api, route, clientDoor)
    for (const route of forms) serve(api, route, operatorDoor)
    refuseOtherMethods(api, [...clientSide, ...operatorSide])
  })
  await app.register(async (api) => {
    streamBodies(api)
    for (const route of streams) serve(api, route, operatorDoor)
  })
  return app
}

function openBuckets(app: FastifyInstance, { redisUrl }: Config, logger: Logger): Buckets {
  const own = ownBuckets()
  const buckets = redisUrl === '' ? own : sharedBuckets(redisUrl, own, logger)
  app.addHook('onClose', async () => buckets.close())
  return buckets
}
