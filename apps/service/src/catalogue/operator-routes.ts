/** Items, and what changed in the catalogue, for operators. */
import Type from 'typebox'
import { Brand, brandNamed, listBrands } from './brands.ts'
import { CatalogueChange, listCatalogueChanges } from './catalogue-changes.ts'
import { putItem } from './put-item.ts'
import { OperatorItem, readOperatorItem } from './read-operator-item.ts'
import { scanMax } from './list-items.ts'
import { listOperatorItems } from './list-operator-items.ts'
import { itemFields } from './write-items.ts'
import { operatorActor } from '../identity/actor.ts'
import { flag, id, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import { putOutcome } from '../vocabulary/put-outcome.ts'

const tag = 'Catalogue'
const item_id = id('The item.', 1024)
const { item_id: _, ...itemBody } = itemFields

export const itemRoutes: Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/brands/',
    operationId: 'listCatalogueBrands',
    tag,
    permission: 'view',
    summary: 'List brands',
    description: 'The brands of the items, in the order of their ids. Writing an item adds its brand.',
    query: { brand: brandNamed('Only this brand'), ...pageFields },
    data: refer(Brand),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listBrands(db, query, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/items/',
    operationId: 'listCatalogueItems',
    tag,
    permission: 'view',
    summary: 'List items with prices and stock levels',
    description: `In the order of their ids. Filters can be combined. Each page examines at most ${scanMax} items: it can have fewer entries than \`limit\`, or none, and still have a next page.`,
    query: {
      search: optional(
        text({
          description:
            'Only items whose article begins with this text, or with each of these words as article, barcode or part of the title, ignoring case.',
          example: 'air filter',
        }),
      ),
      brand_id: optional(id('Only items of this brand.', 12)),
      brand: brandNamed('Only items of this brand'),
      missing_price: optional(id('Only items without a price in this price list.', 1)),
      short: optional(
        flag({
          description: 'With `true`, only items of which a stock has more reserved than on hand.',
          example: true,
        }),
      ),
      ...pageFields,
    },
    data: refer(OperatorItem),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listOperatorItems(db, query, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/items/{item_id}/',
    operationId: 'readCatalogueItem',
    tag,
    permission: 'view',
    summary: 'Read an item with prices and stock levels',
    description: 'The item with its product, all prices and all stock levels.',
    params: { item_id },
    data: refer(OperatorItem),
    refusals: ['item_not_found'],
    handle: ({ db, params }) => readOperatorItem(db, params.item_id),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/items/{item_id}/',
    operationId: 'putItem',
    tag,
    permission: 'catalogue',
    trace: 'catalogue item',
    summary: 'Add or change an item',
    description:
      'The complete item, under an id of your choice that never changes. Orders keep the item as it was when they were placed. To write many items, import them.',
    params: { item_id },
    form: itemBody,
    data: Type.Object({ item_id: Type.Integer({ description: 'The item.' }), outcome: putOutcome }),
    refusals: [],
    handle: ({ db, actor, params, form, request_id }) =>
      putItem(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/catalogue-changes/',
    operationId: 'listCatalogueChanges',
    tag,
    permission: 'view',
    summary: 'List catalogue changes',
    description: 'Who changed what, newest first. An import is one change.',
    query: pageFields,
    data: refer(CatalogueChange),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listCatalogueChanges(db, page),
  }),
]
