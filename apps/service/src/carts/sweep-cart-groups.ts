import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const sweepCartGroupsSql = statement(new URL('sweep-cart-groups.sql', import.meta.url), {
  parameters: { after_client: int8, after_group: int8 },
  columns: { client_id: int8, cart_group_id: int8, swept: int8 },
})

/** Walks through all cart groups once and deletes those without lines. Yields the number deleted after each batch. */
export async function* sweepCartGroups(db: Database): AsyncGenerator<number> {
  let page = await db.row(sweepCartGroupsSql, { after_client: 0, after_group: 0 })
  while (page !== undefined) {
    yield page.swept
    page = await db.row(sweepCartGroupsSql, { after_client: page.client_id, after_group: page.cart_group_id })
  }
}
