import type { Feature } from '../http/routing/route.ts'
import { Brand } from './brands.ts'
import { CatalogueChange } from './catalogue-changes.ts'
import { Country, Region } from './countries.ts'
import { Item } from './item.ts'
import { OfferedItem } from './list-items.ts'
import { itemRoutes } from './operator-routes.ts'
import { Currency } from './prices/currencies.ts'
import { ListedPrice } from './prices/list-prices.ts'
import { NetPrice } from './prices/net-price.ts'
import { priceRoutes } from './prices/operator-routes.ts'
import { PriceList } from './prices/price-lists.ts'
import { OperatorItem } from './read-operator-item.ts'
import { catalogueRoutes } from './routes.ts'

export const catalogue: Feature<{ config: { confirmedPriceFactor: number } }> = {
  schemas: [
    Country,
    Region,
    Brand,
    Item,
    NetPrice,
    OfferedItem,
    OperatorItem,
    ListedPrice,
    PriceList,
    Currency,
    CatalogueChange,
  ],
  clientRoutes: () => catalogueRoutes,
  operatorRoutes: ({ config }) => [...itemRoutes, ...priceRoutes(config)],
}
