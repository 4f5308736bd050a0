import { putOutcomeOf, type PutOutcome } from './put-outcome.ts'
import type { PriceRow } from './write-prices.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const parameters = {
  price_list_id: int8,
  item_id: int8,
  price: numeric,
  price_factor: numeric,
  expected: nullable(numeric),
}

const putPriceSql = statement(new URL('put-price.sql', import.meta.url), {
  parameters: { ...parameters, actor: text, request_id: text },
  /** Whether the price is new; null if it was the same already. */
  columns: { added: nullable(bool) },
  refusedBy: ['prices_price_list', 'prices_item'],
})

const explainPriceSql = statement(new URL('explain-price.sql', import.meta.url), {
  parameters,
  columns: { price_list_there: bool, item_there: bool, before: nullable(numeric), unconfirmed: bool },
})

interface PriceInput extends PriceRow {
  /** The present price, to confirm a change by more than the factor. */
  readonly expected?: number | undefined
  readonly actor: string
  readonly request_id: string
}

/** Adds or changes an item's price in a price list. Carts show it at once; orders keep the price at which they were placed. */
export async function putPrice(
  db: Database,
  { expected, actor, request_id, ...row }: PriceInput,
  price_factor: number,
): Promise<PriceRow & { outcome: PutOutcome }> {
  const { price_list_id, item_id, price } = row
  const values = { price_list_id, item_id, price, price_factor, expected: expected ?? null }
  const written = await settle(
    db,
    { statement: putPriceSql, contended: `price ${price_list_id} ${item_id}` },
    () => db.row(putPriceSql, { ...values, actor, request_id }),
    async () => {
      const found = await db.row(explainPriceSql, values)
      if (found?.price_list_there !== true) throw new Refusal('price_list_not_found', { price_list_id })
      if (!found.item_there) throw new Refusal('item_not_found', { item_id })
      const { before } = found
      if (before !== null && found.unconfirmed)
        throw new Refusal('confirmation_required', { change: 'price', before, after: price })
    },
  )
  return { price_list_id, item_id, price, outcome: putOutcomeOf(written.added) }
}
