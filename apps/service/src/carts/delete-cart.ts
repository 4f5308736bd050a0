import type { Owner } from '../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const deleteCartSql = statement(new URL('delete-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8 },
  columns: { removed_cart_id: int8 },
})

export async function deleteCart(
  db: Database,
  { client_id }: Owner,
  cart_id: number,
): Promise<{ removed_cart_id: number }> {
  const deleted = await db.row(deleteCartSql, { client_id, cart_id })
  if (deleted === undefined) throw new Refusal('cart_not_found', { cart_id })
  return deleted
}
