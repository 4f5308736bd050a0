import { putOutcomeOf, type PutOutcome } from './put-outcome.ts'
import { writePricesSql, type PriceRow } from './write-prices.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { arrayLiteral, bool, int8 } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const explainPriceSql = statement(new URL('explain-price.sql', import.meta.url), {
  parameters: { price_list_id: int8, item_id: int8 },
  columns: { price_list_there: bool, item_there: bool },
})

/** Adds or changes an item's price in a price list. Carts show it at once; orders keep the price at which they were placed. */
export async function putPrice(
  db: Database,
  input: PriceRow & { actor: string; request_id: string },
): Promise<PriceRow & { outcome: PutOutcome }> {
  const { price_list_id, item_id, price, actor, request_id } = input
  const written = await settle(
    db,
    { statement: writePricesSql, contended: `price ${price_list_id} ${item_id}` },
    () =>
      db.row(writePricesSql, {
        import_id: null,
        batch: null,
        lines: '{0}',
        price_list_ids: arrayLiteral([price_list_id]),
        item_ids: arrayLiteral([item_id]),
        prices: arrayLiteral([price]),
        refused: [],
        actor,
        request_id,
      }),
    async () => {
      const found = await db.row(explainPriceSql, { price_list_id, item_id })
      if (found?.price_list_there !== true) throw new Refusal('price_list_not_found', { price_list_id })
      if (!found.item_there) throw new Refusal('item_not_found', { item_id })
    },
  )
  return { price_list_id, item_id, price, outcome: putOutcomeOf(written.added) }
}
