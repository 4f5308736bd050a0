import type { Feature } from '../http/routing/route.ts'
import { closureRoutes } from './closure-routes.ts'
import { Closure } from './closures.ts'
import { countRoutes } from './count-routes.ts'
import { StockCount } from './count-stock.ts'
import { stockOperatorRoutes } from './operator-routes.ts'
import { OperatorStock } from './operator-stocks.ts'
import { stockRoutes } from './routes.ts'
import { StockLevel } from './stock-level.ts'
import { Stock } from './stock.ts'

export const stock: Feature = {
  schemas: [Stock, StockLevel, StockCount, Closure, OperatorStock],
  clientRoutes: () => stockRoutes,
  operatorRoutes: () => [...stockOperatorRoutes, ...countRoutes, ...closureRoutes],
}
