/** Prices, price lists and currencies, for operators. */
import Type from 'typebox'
import { Currency, listCurrencies, putCurrency } from './currencies.ts'
import { listPriceLists, PriceList, putPriceList } from './price-lists.ts'
import { ListedPrice, listPrices } from './list-prices.ts'
import { putPrice } from './put-price.ts'
import { PriceBreak, price, priceBreaks } from './price-breaks.ts'
import { operatorActor } from '../../identity/actor.ts'
import { confirmed, expectedAmount } from '../../input/expected.ts'
import { amount, currencyCode, id, integer, optional, text } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import { putOutcome } from '../../vocabulary/put-outcome.ts'

const tag = 'Catalogue'
const item_id = id('The item.', 1024)

const price_list_id = id('The price list.', 1)

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

export const priceRoutes = ({ confirmedPriceFactor }: { confirmedPriceFactor: number }): Route[] => [
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
    trace: 'catalogue price',
    summary: 'Set a price',
    description: `Carts show the new price at once. Orders keep the price at which they were placed. ${confirmedPriceFactor === 0 ? '' : `A price of more than ${confirmedPriceFactor} times the present one, or of less than its ${confirmedPriceFactor}th part, must be confirmed.`}`,
    params: { price_list_id, item_id },
    form: {
      price,
      price_breaks: optional(priceBreaks),
      expected: expectedAmount('The price', 57.9),
      confirmed: confirmed('a change by more than the usual factor'),
    },
    data: Type.Object({
      price_list_id: Type.Integer({ description: 'The price list.' }),
      item_id: Type.Integer({ description: 'The item.' }),
      price: Type.Number({ description: 'The price of one piece.' }),
      price_breaks: Type.Array(refer(PriceBreak), { description: 'The prices of larger quantities of a line.' }),
      outcome: putOutcome,
    }),
    refusals: ['price_list_not_found', 'item_not_found', 'expected_differs', 'confirmation_required'],
    handle: ({ db, actor, params, form, request_id }) =>
      putPrice(db, { ...params, ...form, actor: operatorActor(actor), request_id }, confirmedPriceFactor),
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
    trace: 'catalogue price-list',
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
    trace: 'catalogue currency',
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
]
