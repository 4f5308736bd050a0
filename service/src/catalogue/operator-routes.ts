/** The catalogue for operators: items, prices, stock levels, stocks, price lists and currencies. */
import Type from 'typebox'
import { CatalogueChange, listCatalogueChanges } from './catalogue-changes.ts'
import { Currency, listCurrencies, putCurrency } from './currencies.ts'
import { listAllStocks, OperatorStock, putStock } from './operator-stocks.ts'
import { listPriceLists, PriceList, putPriceList } from './price-lists.ts'
import { putItem } from './put-item.ts'
import { OperatorItem, readOperatorItem } from './read-operator-item.ts'
import { scanMax } from './list-items.ts'
import { listOperatorItems } from './list-operator-items.ts'
import { ListedPrice, listPrices } from './list-prices.ts'
import { listStockLevels } from './list-stock-levels.ts'
import { putPrice } from './put-price.ts'
import { expectedOnHand, onHand, setStockLevel } from './set-stock-level.ts'
import { StockLevel } from './stock-level.ts'
import { itemFields } from './write-items.ts'
import { price } from './write-prices.ts'
import { operatorActor } from '../access/actor.ts'
import { confirmed, expectedAmount } from '../input/expected.ts'
import { amount, currencyCode, flag, id, integer, optional, text, weekdays } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import { word } from '../schema-words.ts'

const tag = 'Catalogue'
const item_id = id('The item.', 1024)
const stock_id = id('The stock.', 1)
const price_list_id = id('The price list.', 1)
const { item_id: _, ...itemBody } = itemFields

const outcome = word(
  { name: 'Outcome', meaning: 'What a write did.', words: ['added', 'changed', 'unchanged'] },
  'Whether it was added, changed, or the same already.',
)

export const catalogueOperatorRoutes = ({ confirmedPriceFactor }: { confirmedPriceFactor: number }): Route[] => [
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
    summary: 'Add or change an item',
    description:
      'The complete item, under an id of your choice that never changes. Orders keep the item as it was when they were placed. To write many items, import them.',
    params: { item_id },
    form: itemBody,
    data: Type.Object({ item_id: Type.Integer({ description: 'The item.' }), outcome }),
    refusals: [],
    handle: ({ db, actor, params, form, request_id }) =>
      putItem(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/price-lists/{price_list_id}/prices/',
    operationId: 'listPrices',
    tag,
    permission: 'view',
    summary: 'List the prices of a price list',
    description: 'In the order of the item ids.',
    params: { price_list_id },
    query: pageFields,
    data: refer(ListedPrice),
    paged: true,
    refusals: ['price_list_not_found'],
    handle: ({ db, params, page }) => listPrices(db, params.price_list_id, page),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/price-lists/{price_list_id}/prices/{item_id}/',
    operationId: 'putPrice',
    tag,
    permission: 'catalogue',
    summary: 'Set a price',
    description: `Carts show the new price at once. Orders keep the price at which they were placed. ${confirmedPriceFactor === 0 ? '' : `A price of more than ${confirmedPriceFactor} times the present one, or of less than its ${confirmedPriceFactor}th part, must be confirmed.`}`,
    params: { price_list_id, item_id },
    form: {
      price,
      expected: expectedAmount('The price', 57.9),
      confirmed: confirmed('a change by more than the usual factor'),
    },
    data: Type.Object({
      price_list_id: Type.Integer({ description: 'The price list.' }),
      item_id: Type.Integer({ description: 'The item.' }),
      price: Type.Number({ description: 'The price of one piece.' }),
      outcome,
    }),
    refusals: ['price_list_not_found', 'item_not_found', 'expected_differs', 'confirmation_required'],
    handle: ({ db, actor, params, form, request_id }) =>
      putPrice(db, { ...params, ...form, actor: operatorActor(actor), request_id }, confirmedPriceFactor),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stock-levels/',
    operationId: 'listStockLevels',
    tag,
    permission: 'view',
    summary: 'List stock levels',
    description: 'Sorted by stock and item.',
    query: { stock_id: optional(stock_id), item_id: optional(item_id), ...pageFields },
    data: refer(StockLevel),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listStockLevels(db, query, page),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stock-levels/{stock_id}/{item_id}/',
    operationId: 'setStockLevel',
    tag,
    permission: 'catalogue',
    summary: 'Set a stock level',
    description:
      'The stock, and whether back-orders are taken. It may not be below what orders have reserved, unless back-orders are taken: record such a loss with `count`.',
    params: { stock_id, item_id },
    form: {
      on_hand: onHand,
      back_order: optional(
        flag({
          description: 'Whether more can be ordered than is in stock; unchanged if absent.',
          example: false,
        }),
      ),
      expected: expectedOnHand,
    },
    data: refer(StockLevel),
    refusals: ['stock_not_found', 'item_not_found', 'expected_differs', 'stock_below_reserved'],
    handle: ({ db, actor, params, form, request_id }) =>
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
    handle: ({ db, page }) => listAllStocks(db, page),
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
      stock_name: text({ description: 'Its name.', example: 'Hamburg' }),
      lead_days: optional(
        integer({
          min: 0,
          max: 60,
          description: 'Days it needs before it can ship; 0 if absent.',
          example: 1,
        }),
      ),
      closed_weekdays: optional(
        weekdays({
          description: 'Weekdays on which it does not ship: 1 is Monday, 7 is Sunday. None if absent.',
          example: [6, 7],
        }),
      ),
    },
    data: refer(OperatorStock),
    refusals: [],
    handle: ({ db, actor, params, form: { stock_name, lead_days = 0, closed_weekdays = [] }, request_id }) =>
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
    handle: ({ db, page }) => listPriceLists(db, page),
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
      price_list_name: text({ description: 'Its name.', example: 'Dealer prices' }),
      currency_code: currencyCode('What its prices are in; it cannot change later.'),
    },
    data: refer(PriceList),
    refusals: ['currency_not_found', 'price_list_currency_fixed'],
    handle: ({ db, actor, params, form, request_id }) =>
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
    handle: ({ db }) => listCurrencies(db),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/currencies/{currency_code}/',
    operationId: 'putCurrency',
    tag,
    permission: 'administer',
    summary: 'Add a currency or change its rate',
    description: 'Orders keep the rate at which they were placed.',
    params: { currency_code: currencyCode('The currency.') },
    form: {
      minor_digits: integer({
        min: 0,
        max: 3,
        description: 'Decimal places to which amounts are rounded.',
        example: 2,
      }),
      rate: rate(),
    },
    data: refer(Currency),
    refusals: ['currency_digits_fixed'],
    handle: ({ db, actor, params, form, request_id }) =>
      putCurrency(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
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

/** Greater than 0. */
function rate() {
  const field = amount({
    max: 999_999_999,
    digits: 6,
    description: 'The value of one unit in the base currency, whose own rate is 1.',
    example: 1.07,
  })
  return {
    ...field,
    rule: field.rule.replace('from 0', 'above 0'),
    read: (raw: string) => field.read(raw) || undefined,
  }
}
