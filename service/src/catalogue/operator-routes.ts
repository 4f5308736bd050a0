/** The distributor's side of the catalogue: goods, prices, stock, and where and in what they are. */
import Type from 'typebox'
import { CatalogueChange, listCatalogueChanges } from './catalogue-changes.ts'
import { OperatorItem, putItem, readOperatorItem } from './keep-item.ts'
import {
  Currency,
  listAllStocks,
  listCurrencies,
  listPriceLists,
  OperatorStock,
  PriceList,
  putCurrency,
  putPriceList,
  putStock,
} from './keep-places.ts'
import { listStockLevels } from './list-stock-levels.ts'
import { putPrice } from './put-price.ts'
import { onHand, setStockLevel } from './set-stock-level.ts'
import { StockLevel } from './stock-level.ts'
import { itemFields } from './write-items.ts'
import { price } from './write-prices.ts'
import { operatorActor } from '../access/actor.ts'
import { amount, currencyCode, flag, id, integer, optional, text, weekdays } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const tag = 'Operator: catalogue'
const item_id = id('The item.', 1024)
const stock_id = id('The stock.', 1)
const price_list_id = id('The price list.', 1)
const { item_id: _, ...itemBody } = itemFields

const outcome = Type.String({ description: '`added`, `changed`, or `unchanged` if it was so already.' })

export const catalogueOperatorRoutes = (db: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/items/{item_id}/',
    operationId: 'readCatalogueItem',
    tag,
    permission: 'view',
    summary: 'Read an item as the distributor keeps it',
    description: 'With its product, all its prices and where it lies.',
    params: { item_id },
    data: refer(OperatorItem),
    refusals: ['item_not_found'],
    handle: ({ params }) => readOperatorItem(db, params.item_id),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/items/{item_id}/',
    operationId: 'putItem',
    tag,
    permission: 'catalogue',
    summary: 'Add or change an item',
    description:
      'The whole item, under a number of yours that it keeps for ever. Orders keep what was bought as it was then. Many items at once are imported.',
    params: { item_id },
    form: itemBody,
    data: Type.Object({ item_id: Type.Integer({ description: 'The item.' }), outcome }),
    refusals: [],
    handle: ({ actor, params, form, request_id }) =>
      putItem(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/price-lists/{price_list_id}/prices/{item_id}/',
    operationId: 'putPrice',
    tag,
    permission: 'catalogue',
    summary: 'Set a price',
    description: 'Carts show it at once; orders keep the price they were placed at.',
    params: { price_list_id, item_id },
    form: { price },
    data: Type.Object({
      price_list_id: Type.Integer({ description: 'The price list.' }),
      item_id: Type.Integer({ description: 'The item.' }),
      price: Type.Number({ description: 'What one of it costs.' }),
      outcome,
    }),
    refusals: ['price_list_not_found', 'item_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      putPrice(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stock-levels/',
    operationId: 'listStockLevels',
    tag,
    permission: 'view',
    summary: 'List stock levels',
    description: 'By stock and item.',
    query: { stock_id: optional(stock_id), item_id: optional(item_id), ...pageFields },
    data: refer(StockLevel),
    paged: true,
    refusals: [],
    handle: ({ query }) => listStockLevels(db, query),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stock-levels/{stock_id}/{item_id}/',
    operationId: 'setStockLevel',
    tag,
    permission: 'catalogue',
    summary: 'Set a stock level',
    description:
      'What lies there, counted, and whether more than that can be ordered. Never less than what orders have reserved, unless it takes back-orders.',
    params: { stock_id, item_id },
    form: {
      on_hand: onHand,
      back_order: optional(
        flag({
          description: 'Whether more can be ordered than lies there; absent, it stays as it is.',
          example: false,
        }),
      ),
    },
    data: refer(StockLevel),
    refusals: ['stock_not_found', 'item_not_found', 'stock_below_reserved'],
    handle: ({ actor, params, form, request_id }) =>
      setStockLevel(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stocks/',
    operationId: 'listAllStocks',
    tag,
    permission: 'view',
    summary: 'List all stocks',
    query: pageFields,
    data: refer(OperatorStock),
    paged: true,
    refusals: [],
    handle: ({ query }) => listAllStocks(db, query),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stocks/{stock_id}/',
    operationId: 'putStock',
    tag,
    permission: 'administer',
    summary: 'Add or change a stock',
    params: { stock_id },
    form: {
      stock_name: text({ description: 'What it is called.', example: 'Hamburg' }),
      lead_days: optional(
        integer({
          min: 0,
          max: 60,
          description: 'How many days it needs before it can ship; 0 if absent.',
          example: 1,
        }),
      ),
      closed_weekdays: optional(
        weekdays({
          description: 'When it never ships: 1 is Monday, 7 is Sunday. Open every day if absent.',
          example: [6, 7],
        }),
      ),
    },
    data: refer(OperatorStock),
    refusals: [],
    handle: ({ actor, params, form: { stock_name, lead_days = 0, closed_weekdays = [] }, request_id }) =>
      putStock(db, { ...params, stock_name, lead_days, closed_weekdays, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/price-lists/',
    operationId: 'listPriceLists',
    tag,
    permission: 'view',
    summary: 'List price lists',
    query: pageFields,
    data: refer(PriceList),
    paged: true,
    refusals: [],
    handle: ({ query }) => listPriceLists(db, query),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/price-lists/{price_list_id}/',
    operationId: 'putPriceList',
    tag,
    permission: 'administer',
    summary: 'Add or rename a price list',
    params: { price_list_id },
    form: {
      price_list_name: text({ description: 'What it is called.', example: 'Dealer prices' }),
      currency_code: currencyCode('What its prices are in; it cannot change later.'),
    },
    data: refer(PriceList),
    refusals: ['currency_not_found', 'price_list_currency_fixed'],
    handle: ({ actor, params, form, request_id }) =>
      putPriceList(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/currencies/',
    operationId: 'listCurrencies',
    tag,
    permission: 'view',
    summary: 'List currencies',
    data: Type.Array(refer(Currency)),
    refusals: [],
    handle: () => listCurrencies(db),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/currencies/{currency_code}/',
    operationId: 'putCurrency',
    tag,
    permission: 'administer',
    summary: 'Add a currency or change its rate',
    description: 'Orders keep the rate they were placed at.',
    params: { currency_code: currencyCode('The currency.') },
    form: {
      minor_digits: integer({
        min: 0,
        max: 3,
        description: 'To how many digits after the point amounts are rounded.',
        example: 2,
      }),
      rate: rate(),
    },
    data: refer(Currency),
    refusals: ['currency_digits_fixed'],
    handle: ({ actor, params, form, request_id }) =>
      putCurrency(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/catalogue-changes/',
    operationId: 'listCatalogueChanges',
    tag,
    permission: 'view',
    summary: 'List changes of the catalogue',
    description: 'Who changed what, newest first; an import is one change.',
    query: pageFields,
    data: refer(CatalogueChange),
    paged: true,
    refusals: [],
    handle: ({ query }) => listCatalogueChanges(db, query),
  }),
]

/** More than nothing. */
function rate() {
  const field = amount({
    max: 999_999_999,
    digits: 6,
    description: 'What one of it is worth in the base currency, whose own rate is 1.',
    example: 1.07,
  })
  return {
    ...field,
    rule: field.rule.replace('from 0', 'above 0'),
    read: (raw: string) => field.read(raw) || undefined,
  }
}
