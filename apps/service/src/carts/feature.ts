import type { Feature } from '../http/routing/route.ts'
import { Cart } from './cart.ts'
import { CartGroup, CartItem, CartItemDetail } from './lines/cart-item.ts'
import { GroupTotals, LineAvailability } from './lines/cart-totals.ts'
import { cartsOnBehalfRoutes } from './on-behalf-routes.ts'
import { cartOperatorRoutes } from './operator-routes.ts'
import { cartRoutes } from './routes.ts'
import { BulkResult, BulkRow } from './tables/add-cart-items.ts'
import { OrderedResult, OrderedRow } from './tables/add-order-items.ts'

export const carts: Feature = {
  schemas: [
    Cart,
    CartItem,
    CartGroup,
    CartItemDetail,
    GroupTotals,
    LineAvailability,
    BulkRow,
    BulkResult,
    OrderedRow,
    OrderedResult,
  ],
  clientRoutes: () => cartRoutes,
  operatorRoutes: () => [...cartOperatorRoutes, ...cartsOnBehalfRoutes],
}
