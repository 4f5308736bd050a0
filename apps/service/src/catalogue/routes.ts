/** What clients may order, and the countries and regions that it may go to. */
import Type from 'typebox'
import { countries, Country, listRegions, Region } from './countries.ts'
import { Brand, brandNamed, listBrands } from './brands.ts'
import {
  articlesMax,
  copyIncludes,
  itemIncludes,
  listItems,
  matchesMax,
  OfferedItem,
  itemsInFullMax,
  readItem,
  scanMax,
} from './list-items.ts'
import { afterPosition, ItemChanges, listItemChanges, versionOfItems } from './changes/list-item-changes.ts'
import { PriceFileRow, priceFileRow } from './changes/price-file.ts'
import { csvFields } from '../input/csv-fields.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { code, id, listed, optional, text, type Field } from '../input/fields.ts'
import { promisedQuantity } from '../stock/promise.ts'
import { pageFields } from '../input/page-fields.ts'
import { lookupSeconds } from '../http/routing/cache.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const contract_id = optional(
  id('The contract whose prices are shown; the default contract if absent.', exampleIds.contract_id),
)

const addedByInclude =
  'Adds `net`, the price after the discount of the contract; `price_breaks`, the prices of larger quantities (with `net`, after the discount too); `quantity_rules`, in which quantities it can be ordered'

const included = {
  include: optional(
    listed(itemIncludes, {
      description: `${addedByInclude}; to each stock \`promise\`: what it expects, and when it can ship a \`quantity\`; and \`substitutes\`, what can be ordered in place of the item: \`replaced_by\` and \`substitutes\`.`,
      example: ['net'],
    }),
  ),
  quantity: promisedQuantity,
}

const articlesLengthMax = 4_000 // Leaves room in a URL, which may have 16 KiB even when every character is escaped once.

/** One text with commas, because a parameter that occurs twice is refused. */
const articles: Field<string[]> = {
  required: true,
  schema: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: articlesMax,
    description: `Only items with one of these articles. Case, spaces, dashes, dots and slashes do not matter. If several items match an article, all are listed, up to ${matchesMax}.`,
    examples: [['AV-10001', 'av10002']],
  },
  rule: `a list of 1 to ${articlesMax} articles separated by commas, of at most ${articlesLengthMax} characters without control characters`,
  read: (raw) => {
    const list = raw.split(',').map((article) => article.normalize('NFC').trim())
    const fits = raw.length <= articlesLengthMax && !/\p{Cc}/u.test(raw) && list.length <= articlesMax
    return fits && !list.includes('') ? list : undefined
  },
}

export const catalogueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/countries/',
    operationId: 'listCountries',
    cacheSeconds: lookupSeconds.fixed,
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
    cacheSeconds: lookupSeconds.fixed,
    tag: 'Lookups',
    summary: 'List regions',
    description: 'The regions of ISO 3166-2, by code. A country without subdivisions is listed as its own region.',
    query: {
      country_code: optional(code({ max: 2, description: 'Only the regions of this country.', example: 'DE' })),
    },
    data: Type.Array(refer(Region)),
    refusals: [],
    handle: async ({ query }) => [...listRegions(query.country_code)],
  }),
  route({
    method: 'GET',
    path: '/api/v1/brands/',
    operationId: 'listBrands',
    tag: 'Lookups',
    summary: 'List brands',
    description: 'The brands of the items, in the order of their ids.',
    query: { brand: brandNamed('Only this brand'), ...pageFields },
    data: refer(Brand),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listBrands(db, query, page),
  }),
  route({
    method: 'GET',
    path: '/api/v1/items/',
    operationId: 'listItems',
    tag: 'Lookups',
    summary: 'List items',
    description: `The items that the client can order, with price and availability, in the order of their ids. Filters narrow each other. A search of a large catalogue may return a short or even empty page with a next cursor: continue while there is one. With \`include=promise\` or \`include=substitutes\`, a page has at most ${itemsInFullMax} items.\n\nWith \`Accept: text/csv\`, the answer is a price and stock file of all of them, with \`net_price\` if \`include=net\`; \`available_by_stock\` is like \`1:37 2:0\`. Send its \`ETag\` as \`If-None-Match\` the next time: while no price, item or availability has changed, the answer is 304. With \`Accept-Encoding: gzip\` it is compressed.`,
    csv: true,
    file: {
      row: PriceFileRow,
      rowOf: (row) => priceFileRow(row as OfferedItem),
      version: ({ db, actor, query }) => versionOfItems(db, actor, query),
    },
    query: {
      search: optional(
        text({
          description: `An article, the beginning of one, a barcode, or words of the title. Case does not matter, nor do spaces, dashes, dots and slashes in an article. All words must match; only the first ten count. A beginning that more than ${scanMax} articles share finds nothing: add a character.`,
          example: 'air filter',
        }),
      ),
      articles: optional(articles),
      brand_id: optional(id('Only items of this brand.', exampleIds.brand_id)),
      brand: brandNamed('Only items of this brand'),
      stock_id: optional(id('Only items that this stock carries.', exampleIds.stock_id)),
      contract_id,
      ...included,
      ...pageFields,
      ...csvFields,
    },
    data: refer(OfferedItem),
    paged: true,
    refusals: ['contract_not_found'],
    handle: ({ db, actor, query, page }) => listItems(db, actor, query, page),
  }),
  route({
    method: 'GET',
    path: '/api/v1/items/changes/',
    operationId: 'listItemChanges',
    tag: 'Lookups',
    summary: 'Keep a copy of the items',
    description:
      'First all items that the client can order, in the order of their ids, then those whose data, price or availability has changed. Send the `after` of each answer with the next request, at once if there is `more`, otherwise after a minute: changes appear within about a minute, and several of an item in that time are one. Store `after` together with what the page has changed; then a copy that is interrupted goes on where it was. If the contract or the stocks of the client change, a full pass begins again.',
    query: {
      after: afterPosition,
      contract_id,
      include: optional(listed(copyIncludes, { description: `${addedByInclude}.`, example: ['net'] })),
      limit: pageFields.limit,
    },
    data: refer(ItemChanges),
    refusals: ['contract_not_found'],
    handle: ({ db, actor, query, page }) => listItemChanges(db, actor, { ...query, limit: page.limit }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/items/{item_id}/',
    operationId: 'readItem',
    tag: 'Lookups',
    summary: 'Read an item',
    params: { item_id: id('The item.', exampleIds.item_id) },
    query: { contract_id, ...included },
    data: refer(OfferedItem),
    refusals: ['item_not_found', 'contract_not_found'],
    handle: ({ db, actor, params, query }) => readItem(db, actor, { ...params, ...query }),
  }),
]
