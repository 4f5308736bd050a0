import type { Database } from 'pg-statements/database.ts'
import { functionStatement } from 'pg-statements/statement.ts'
import { int4, int8, textArray } from 'pg-statements/types.ts'
import { holdable } from '../../vocabulary/order-states.ts'

const eraseAddressesSql = functionStatement(new URL('erase_addresses.sql', import.meta.url), {
  parameters: { after_days: int4, open_states: textArray },
  columns: { looked: int8 },
})

/**
 * Erases addresses and texts of orders of erased contacts that were shipped, completed or cancelled and have not changed
 * for `after_days`; null means never. Yields the number of orders that each batch has looked at.
 */
export async function* eraseAddresses(
  db: Database,
  { after_days }: { after_days: number | null },
): AsyncGenerator<number> {
  if (after_days === null) return
  for (;;) {
    const { looked = 0 } = (await db.row(eraseAddressesSql, { after_days, open_states: holdable })) ?? {}
    if (looked === 0) return
    yield looked
  }
}
