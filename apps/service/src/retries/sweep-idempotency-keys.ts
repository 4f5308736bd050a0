import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const sweepIdempotencyKeysSql = statement(new URL('sweep-idempotency-keys.sql', import.meta.url), {
  parameters: {},
  columns: { swept: int8 },
})

/** Deletes all expired answers in batches, and yields the size of each. */
export async function* sweepIdempotencyKeys(db: Database): AsyncGenerator<number> {
  for (let swept = 1; swept > 0;) {
    swept = (await db.row(sweepIdempotencyKeysSql, {}))?.swept ?? 0
    yield swept
  }
}
