import type { PutOutcome } from '../../vocabulary/put-outcome.ts'
import type { PriceRow } from './write-prices.ts'
import { call, functionCall } from '../../functions/call.ts'
import type { Confirming } from '../../input/expected.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int8, nullable, numeric, text } from 'pg-statements/types.ts'

const putPriceSql = functionCall(new URL('put_price.sql', import.meta.url), {
  parameters: {
    price_list_id: int8,
    item_id: int8,
    price: numeric,
    price_factor: numeric,
    expected: nullable(numeric),
    confirmed: bool,
    actor: text,
    request_id: text,
  },
  columns: { outcome: text },
})

interface PriceInput extends PriceRow, Confirming {
  readonly actor: string
  readonly request_id: string
}

/** Adds or changes an item's price in a price list. Carts show it at once; orders keep the price at which they were placed. */
export async function putPrice(
  db: Database,
  { expected = null, confirmed = false, ...input }: PriceInput,
  price_factor: number,
): Promise<PriceRow & { outcome: PutOutcome }> {
  const { price_list_id, item_id, price } = input
  const { outcome } = await call(db, putPriceSql, { ...input, price_factor, expected, confirmed })
  return { price_list_id, item_id, price, outcome: outcome as PutOutcome }
}
