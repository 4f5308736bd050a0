import { emptyDaysMax } from './cart.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

const sweepCartsSql = statement(new URL('sweep-carts.sql', import.meta.url), {
  parameters: { after_client: int8, after_cart: int8, empty_days_max: int4 },
  columns: { client_id: int8, cart_id: int8, swept: int8 },
})

/** Walks through all carts once and deletes those that have been empty for long. Yields the number deleted after each batch. */
export async function* sweepCarts(db: Database): AsyncGenerator<number> {
  const sweepAfter = (after_client: number, after_cart: number) =>
    db.row(sweepCartsSql, { after_client, after_cart, empty_days_max: emptyDaysMax })
  let page = await sweepAfter(0, 0)
  while (page !== undefined) {
    yield page.swept
    page = await sweepAfter(page.client_id, page.cart_id)
  }
}
