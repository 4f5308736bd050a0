import type { Feature } from '../http/routing/route.ts'
import { Brand } from './brands.ts'
import { CatalogueChange } from './catalogue-changes.ts'
import { ItemChanges } from './changes/list-item-changes.ts'
import { Country, Region } from './countries.ts'
import { Item } from './item.ts'
import { OfferedItem, OfferedSubstitute } from './list-items.ts'
import { itemRoutes } from './operator-routes.ts'
import { Currency } from './prices/currencies.ts'
import { ListedPrice } from './prices/list-prices.ts'
import { NetPrice } from './prices/net-price.ts'
import { OfferedBreak, PriceBreak } from './prices/price-breaks.ts'
import { priceRoutes } from './prices/operator-routes.ts'
import { PriceList } from './prices/price-lists.ts'
import { QuantityRules } from './quantities/quantity-rules.ts'
import { OperatorItem } from './read-operator-item.ts'
import { catalogueRoutes } from './routes.ts'
import { substituteRoutes } from './substitutes/operator-routes.ts'
import { Substitutes } from './substitutes/substitutes.ts'

export const catalogue: Feature<{ config: { confirmedPriceFactor: number } }> = {
  schemas: [
    Country,
    Region,
    Brand,
    Item,
    NetPrice,
    PriceBreak,
    OfferedBreak,
    QuantityRules,
    OfferedItem,
    ItemChanges,
    OfferedSubstitute,
    Substitutes,
    OperatorItem,
    ListedPrice,
    PriceList,
    Currency,
    CatalogueChange,
  ],
  clientRoutes: () => catalogueRoutes,
  operatorRoutes: ({ config }) => [...itemRoutes, ...substituteRoutes, ...priceRoutes(config)],
}
