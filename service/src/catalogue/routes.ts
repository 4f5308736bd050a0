import Type from 'typebox'
import { countries, Country, listRegions, Region } from './countries.ts'
import { listItems, OfferedItem, readItem } from './list-items.ts'
import { listStocks, Stock } from './stock.ts'
import { id, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const contract_id = optional(id('The contract whose prices are shown; the default contract if absent.', 7))

export const catalogueRoutes = (db: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/countries/',
    operationId: 'listCountries',
    tag: 'Lookups',
    summary: 'List countries',
    description: 'The countries of ISO 3166-1, by code.',
    data: Type.Array(refer(Country)),
    refusals: [],
    handle: async () => [...countries],
  }),
  route({
    method: 'GET',
    path: '/api/v1/regions/',
    operationId: 'listRegions',
    tag: 'Lookups',
    summary: 'List regions',
    description: 'The regions of ISO 3166-2, by code. A country without subdivisions is listed as its own region.',
    query: {
      country_code: optional(text({ max: 2, description: 'Only the regions of this country.', example: 'DE' })),
    },
    data: Type.Array(refer(Region)),
    refusals: [],
    handle: async ({ query }) => [...listRegions(query.country_code)],
  }),
  route({
    method: 'GET',
    path: '/api/v1/stocks/',
    operationId: 'listStocks',
    tag: 'Lookups',
    summary: 'List stocks',
    description: 'The stocks that serve the client.',
    data: Type.Array(refer(Stock)),
    refusals: [],
    handle: ({ actor }) => listStocks(db, actor),
  }),
  route({
    method: 'GET',
    path: '/api/v1/items/',
    operationId: 'listItems',
    tag: 'Lookups',
    summary: 'List items',
    description:
      'The items that the client can order, with price and availability. A search of a large catalogue may return a short or even empty page with a next cursor: continue while there is one.',
    query: {
      search: optional(
        text({
          description:
            'An article code, a barcode, or words of the title, ignoring case. All words must match; only the first ten count.',
          example: 'brake disc',
        }),
      ),
      brand_id: optional(id('Only items of this brand.', 3)),
      stock_id: optional(id('Only items that this stock carries.', 1)),
      contract_id,
      ...pageFields,
    },
    data: refer(OfferedItem),
    paged: true,
    refusals: ['contract_not_found'],
    handle: ({ actor, query }) => listItems(db, actor, query),
  }),
  route({
    method: 'GET',
    path: '/api/v1/items/{item_id}/',
    operationId: 'readItem',
    tag: 'Lookups',
    summary: 'Read an item',
    params: { item_id: id('The item.', 1024) },
    query: { contract_id },
    data: refer(OfferedItem),
    refusals: ['item_not_found', 'contract_not_found'],
    handle: ({ actor, params, query }) => readItem(db, actor, { ...params, ...query }),
  }),
]
