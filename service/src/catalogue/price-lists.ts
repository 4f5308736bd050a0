/** Stocks, price lists and currencies: few rows that rarely change. */
import Type, { type Static } from 'typebox'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, int8Array, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const OperatorStock = Type.Object(
  {
    stock_id: Type.Integer({ description: 'Identifies the stock.' }),
    stock_name: Type.String({ description: 'Its name.' }),
    lead_days: Type.Integer({ description: 'Days it needs before it can ship.' }),
    closed_weekdays: Type.Array(Type.Integer(), { description: 'Weekdays on which it does not ship: 1 is Monday, 7 is Sunday.' }),
  },
  {
    $id: 'OperatorStock',
    additionalProperties: false,
    examples: [{ stock_id: 1, stock_name: 'Hamburg', lead_days: 1, closed_weekdays: [6, 7] }],
  },
)
export type OperatorStock = Static<typeof OperatorStock>

export const PriceList = Type.Object(
  {
    price_list_id: Type.Integer({ description: 'Identifies the price list.' }),
    price_list_name: Type.String({ description: 'Its name.' }),
    currency_code: Type.String({ description: 'The currency of its prices.' }),
  },
  {
    $id: 'PriceList',
    additionalProperties: false,
    examples: [{ price_list_id: 1, price_list_name: 'Dealer prices', currency_code: 'EUR' }],
  },
)
export type PriceList = Static<typeof PriceList>

export const Currency = Type.Object(
  {
    currency_code: Type.String({ description: 'As in ISO 4217.' }),
    minor_digits: Type.Integer({ description: 'Decimal places to which amounts are rounded.' }),
    rate: Type.Number({ description: 'The value of one unit in the base currency, whose own rate is 1.' }),
  },
  { $id: 'Currency', additionalProperties: false, examples: [{ currency_code: 'CHF', minor_digits: 2, rate: 1.07 }] },
)
export type Currency = Static<typeof Currency>

const stockColumns = { stock_id: int8, stock_name: text, lead_days: int4, closed_weekdays: int8Array }
const priceListColumns = { price_list_id: int8, price_list_name: text, currency_code: text }
const currencyColumns = { currency_code: text, minor_digits: int4, rate: numeric }
const by = { actor: text, request_id: text }
const page = { after_id: int8, page_size: int8 }

const putStockSql = statement(new URL('put-stock.sql', import.meta.url), {
  parameters: { ...stockColumns, ...by },
  columns: stockColumns,
})
const listAllStocksSql = statement(new URL('list-all-stocks.sql', import.meta.url), {
  parameters: page,
  columns: stockColumns,
})
const putPriceListSql = statement(new URL('put-price-list.sql', import.meta.url), {
  parameters: { ...priceListColumns, ...by },
  columns: priceListColumns,
  refusedBy: ['price_lists_currency'],
})
const explainPriceListSql = statement(new URL('explain-price-list.sql', import.meta.url), {
  parameters: { price_list_id: int8, currency_code: text },
  columns: { currency_there: bool, currency_code: nullable(text) },
})
const listPriceListsSql = statement(new URL('list-price-lists.sql', import.meta.url), {
  parameters: page,
  columns: priceListColumns,
})
const putCurrencySql = statement(new URL('put-currency.sql', import.meta.url), {
  parameters: { ...currencyColumns, ...by },
  columns: currencyColumns,
})
const readCurrencySql = statement(new URL('read-currency.sql', import.meta.url), {
  parameters: { currency_code: text },
  columns: { minor_digits: int4 },
})
const listCurrenciesSql = statement(new URL('list-currencies.sql', import.meta.url), {
  parameters: {},
  columns: currencyColumns,
})

interface By {
  readonly actor: string
  readonly request_id: string
}
interface PageRequest {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export async function putStock(db: Database, stock: OperatorStock & By): Promise<OperatorStock> {
  return settle(
    db,
    `stock ${stock.stock_id}`,
    () => db.row(putStockSql, stock),
    async () => undefined,
  )
}

export async function listAllStocks(
  db: Database,
  { limit = pageSizeDefault, cursor }: PageRequest,
): Promise<Page<OperatorStock>> {
  const rows = await db.rows(listAllStocksSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ stock_id }) => stock_id, [])
}

/** The currency of a price list cannot change: its prices are in that currency. */
export async function putPriceList(db: Database, list: PriceList & By): Promise<PriceList> {
  const { price_list_id, currency_code } = list
  return settle(
    db,
    `price list ${price_list_id}`,
    () => db.row(putPriceListSql, list),
    async () => {
      const found = await db.row(explainPriceListSql, { price_list_id, currency_code })
      if (found?.currency_there !== true) throw new Refusal('currency_not_found', { currency_code })
      const was = found.currency_code
      if (was !== null && was !== currency_code)
        throw new Refusal('price_list_currency_fixed', { price_list_id, currency_code: was })
    },
  )
}

export async function listPriceLists(
  db: Database,
  { limit = pageSizeDefault, cursor }: PageRequest,
): Promise<Page<PriceList>> {
  const rows = await db.rows(listPriceListsSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ price_list_id }) => price_list_id, [])
}

/** The decimal places of a currency cannot change: totals have been rounded to them. */
export async function putCurrency(db: Database, currency: Currency & By): Promise<Currency> {
  const { currency_code, minor_digits } = currency
  return settle(
    db,
    `currency ${currency_code}`,
    () => db.row(putCurrencySql, currency),
    async () => {
      const found = await db.row(readCurrencySql, { currency_code })
      if (found !== undefined && found.minor_digits !== minor_digits)
        throw new Refusal('currency_digits_fixed', { currency_code, minor_digits: found.minor_digits })
    },
  )
}

export const listCurrencies = (db: Database): Promise<Currency[]> => db.rows(listCurrenciesSql, {})
