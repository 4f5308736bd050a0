import type { PutOutcome } from '../../vocabulary/put-outcome.ts'
import { breakParameters, type PriceBreak } from './price-breaks.ts'
import type { PriceRow } from './write-prices.ts'
import { call, functionCall } from '../../functions/call.ts'
import type { Confirming } from '../../input/expected.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int8, jsonOf, literal, nullable, numeric, text } from 'pg-statements/types.ts'

const putPriceSql = functionCall(new URL('put_price.sql', import.meta.url), {
  parameters: {
    price_list_id: int8,
    item_id: int8,
    price: numeric,
    break_quantities: nullable(literal('bigint[]')),
    break_prices: nullable(literal('numeric[]')),
    price_factor: numeric,
    expected: nullable(numeric),
    confirmed: bool,
    actor: text,
    request_id: text,
  },
  columns: { outcome: text, price_breaks: jsonOf<PriceBreak[]>() },
})

interface PriceInput extends PriceRow, Confirming {
  readonly actor: string
  readonly request_id: string
}

/** Adds or changes an item's price in a price list. Carts show it at once; orders keep the price at which they were placed. */
export async function putPrice(
  db: Database,
  { expected = null, confirmed = false, price_breaks: breaks, ...input }: PriceInput,
  price_factor: number,
): Promise<PriceRow & { price_breaks: PriceBreak[]; outcome: PutOutcome }> {
  const { price_list_id, item_id, price } = input
  const values = { ...input, ...breakParameters(breaks), price_factor, expected, confirmed }
  const { outcome, price_breaks } = await call(db, putPriceSql, values)
  return { price_list_id, item_id, price, price_breaks, outcome: outcome as PutOutcome }
}
