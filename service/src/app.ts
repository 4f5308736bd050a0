/** The application: every route, one line a feature, behind one door. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { cartRoutes } from './carts/routes.ts'
import { Cart } from './carts/cart.ts'
import { CartGroup, CartItem, CartItemDetail } from './carts/cart-item.ts'
import { Country, Region } from './catalogue/countries.ts'
import { Item } from './catalogue/item.ts'
import { OfferedItem } from './catalogue/list-items.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { Stock } from './catalogue/stock.ts'
import { clientKeyring, permitScope } from './clients/authenticate.ts'
import { ClientName, OperatorClient } from './clients/client.ts'
import { ClientKey } from './clients/client-keys.ts'
import { Contract } from './clients/list-contracts.ts'
import { clientOperatorRoutes } from './clients/operator-routes.ts'
import { clientRoutes } from './clients/routes.ts'
import type { Config } from './config.ts'
import { FeedEvent } from './events/event-feed.ts'
import { eventOperatorRoutes } from './events/operator-routes.ts'
import { serveHealth } from './health.ts'
import { serve, type Door, type Route } from './http/route.ts'
import type { Actor, Operator } from './http/actor.ts'
import { bodyBytesMax, makeServer, refuseOtherMethods } from './http/server.ts'
import { operatorKeyring, permitRole } from './operators/authenticate.ts'
import { OperatorKey } from './operators/operator-keys.ts'
import { operatorKeyRoutes } from './operators/routes.ts'
import { Adjustment } from './orders/adjustment.ts'
import { InboxEntry } from './orders/inbox.ts'
import { OrderItem } from './orders/list-order-items.ts'
import { MoveResult } from './orders/move-orders.ts'
import { OperatorOrder } from './orders/operator-order.ts'
import { orderOperatorRoutes } from './orders/operator-routes.ts'
import { CancelledOrder, HistoryEntry, Order } from './orders/order.ts'
import { orderRoutes, OrderStateRule } from './orders/routes.ts'
import type { Database } from './postgres/database.ts'
import { serveReference } from './reference.ts'

const schemas = [
  Country, Region, Stock, Contract, Item, OfferedItem,
  Cart, CartItem, CartGroup, CartItemDetail,
  HistoryEntry, Order, CancelledOrder, OrderItem, Adjustment, OrderStateRule,
  OperatorKey, OperatorOrder, InboxEntry, MoveResult, FeedEvent, OperatorClient, ClientName, ClientKey,
] // prettier-ignore

/** What clients can do. */
export const clientSideRoutes = (db: Database, config: Config): Route[] => [
  ...catalogueRoutes(db),
  ...clientRoutes(db),
  ...cartRoutes(db),
  ...orderRoutes(db, config),
]

/** What the distributor's operators can do. */
export const operatorSideRoutes = (db: Database, config: Config): Route[] => [
  ...orderOperatorRoutes(db, config),
  ...eventOperatorRoutes(db),
  ...clientOperatorRoutes(db),
  ...operatorKeyRoutes(db),
]

const operatorBodyBytesMax = 256 * 1024 // A thousand order ids, with room to spare.

export async function makeApp(db: Database, config: Config, logger: Logger): Promise<FastifyInstance> {
  const app = makeServer({ requestTimeoutMs: config.requestTimeoutMs, logger })
  for (const schema of schemas) app.addSchema(schema)
  await serveReference(app)
  serveHealth(app, db)

  const clients = clientKeyring(db)
  const operators = operatorKeyring(db)
  app.addHook('onClose', async () => {
    clients.close()
    operators.close()
  })
  const clientDoor: Door<Actor> = { ...clients, permit: permitScope, body: 'form', bodyBytesMax }
  const operatorDoor: Door<Operator> = {
    ...operators,
    permit: permitRole,
    body: 'json',
    bodyBytesMax: operatorBodyBytesMax,
  }
  const [clientSide, operatorSide] = [clientSideRoutes(db, config), operatorSideRoutes(db, config)]
  await app.register(async (api) => {
    for (const route of clientSide) serve(api, route, clientDoor)
    for (const route of operatorSide) serve(api, route, operatorDoor)
    refuseOtherMethods(api, [...clientSide, ...operatorSide])
  })
  return app
}
