/** The fields of a price, and the statement with which imports write them. */
import { breakParameters, price, priceBreaks, type PriceBreak } from './price-breaks.ts'
import { id, optional } from '../../input/fields.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, int8Array, literal } from 'pg-statements/types.ts'

export const priceFields = {
  price_list_id: id('The price list.', 1),
  item_id: id('The item.', 1024),
  price,
  price_breaks: optional(priceBreaks),
}

export interface PriceRow {
  readonly price_list_id: number
  readonly item_id: number
  readonly price: number
  readonly price_breaks?: readonly PriceBreak[] | undefined
}

/** The statement's parameters from rows. */
export const priceParameters = {
  price_list_ids: (row: PriceRow) => row.price_list_id,
  item_ids: (row: PriceRow) => row.item_id,
  prices: (row: PriceRow) => row.price,
  break_quantities: (row: PriceRow) => breakParameters(row.price_breaks).break_quantities,
  break_prices: (row: PriceRow) => breakParameters(row.price_breaks).break_prices,
}

export const writePricesSql = statement(new URL('write-prices.sql', import.meta.url), {
  parameters: {
    import_id: int8,
    batch: int4,
    lines: literal('bigint[]'),
    price_list_ids: literal('bigint[]'),
    item_ids: literal('bigint[]'),
    prices: literal('numeric[]'),
    break_quantities: literal('text[]'),
    break_prices: literal('text[]'),
    refused: int8Array,
  },
  columns: { batch: int4 },
})
