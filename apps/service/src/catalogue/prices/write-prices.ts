/** The fields of a price, and the statement with which imports write them. */
import { amount, id } from '../../input/fields.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, int8Array, literal } from 'pg-statements/types.ts'

const priceMax = 99_999_999_999 // Eleven digits before the point and four after it are exact in JSON and JavaScript.

export const price = amount({ max: priceMax, digits: 4, description: 'The price of one piece.', example: 104.17 })

export const priceFields = {
  price_list_id: id('The price list.', 1),
  item_id: id('The item.', 1024),
  price,
}

export interface PriceRow {
  readonly price_list_id: number
  readonly item_id: number
  readonly price: number
}

/** The statement's parameters from rows. */
export const priceParameters = {
  price_list_ids: (row: PriceRow) => row.price_list_id,
  item_ids: (row: PriceRow) => row.item_id,
  prices: (row: PriceRow) => row.price,
}

export const writePricesSql = statement(new URL('write-prices.sql', import.meta.url), {
  parameters: {
    import_id: int8,
    batch: int4,
    lines: literal('bigint[]'),
    price_list_ids: literal('bigint[]'),
    item_ids: literal('bigint[]'),
    prices: literal('numeric[]'),
    refused: int8Array,
  },
  columns: { batch: int4 },
})
