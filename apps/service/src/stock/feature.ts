import type { Feature } from '../http/routing/route.ts'
import { arrivalRoutes } from './arrival-routes.ts'
import { ExpectedArrivals } from './arrivals.ts'
import { closureRoutes } from './closure-routes.ts'
import { Closure } from './closures.ts'
import { countRoutes } from './count-routes.ts'
import { StockCount } from './count-stock.ts'
import { stockOperatorRoutes } from './operator-routes.ts'
import { OperatorStock } from './operator-stocks.ts'
import { Arrival, Promised } from './promise.ts'
import { stockRoutes } from './routes.ts'
import { StockLevel } from './stock-level.ts'
import { Stock } from './stock.ts'

export const stock: Feature = {
  schemas: [Stock, StockLevel, StockCount, Closure, OperatorStock, Arrival, ExpectedArrivals, Promised],
  clientRoutes: () => stockRoutes,
  operatorRoutes: () => [...stockOperatorRoutes, ...countRoutes, ...arrivalRoutes, ...closureRoutes],
}
