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
import { makeAuthenticator } from './clients/authenticate.ts'
import { Contract } from './clients/list-contracts.ts'
import { clientRoutes } from './clients/routes.ts'
import type { Config } from './config.ts'
import { serveHealth } from './health.ts'
import { serve, type Route } from './http/route.ts'
import { makeServer, refuseOtherMethods } from './http/server.ts'
import { Adjustment } from './orders/adjustment.ts'
import { OrderItem } from './orders/list-order-items.ts'
import { CancelledOrder, HistoryEntry, Order } from './orders/order.ts'
import { orderRoutes, OrderStateRule } from './orders/routes.ts'
import type { Database } from './postgres/database.ts'
import { serveReference } from './reference.ts'

const schemas = [
  Country, Region, Stock, Contract, Item, OfferedItem,
  Cart, CartItem, CartGroup, CartItemDetail,
  HistoryEntry, Order, CancelledOrder, OrderItem, Adjustment, OrderStateRule,
] // prettier-ignore

export const allRoutes = (db: Database, config: Config): Route[] => [
  ...catalogueRoutes(db),
  ...clientRoutes(db),
  ...cartRoutes(db),
  ...orderRoutes(db, config),
]

export async function makeApp(db: Database, config: Config, logger: Logger): Promise<FastifyInstance> {
  const { authenticate, close } = makeAuthenticator(db)
  const app = makeServer({ requestTimeoutMs: config.requestTimeoutMs, logger })
  app.addHook('onClose', async () => close())
  for (const schema of schemas) app.addSchema(schema)

  await serveReference(app)
  serveHealth(app, db)
  const routes = allRoutes(db, config)
  await app.register(async (api) => {
    for (const route of routes) serve(api, route, authenticate)
    refuseOtherMethods(api, routes)
  })
  return app
}
