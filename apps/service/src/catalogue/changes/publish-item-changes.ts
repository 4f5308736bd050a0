import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int4, int8 } from 'pg-statements/types.ts'

const publishSql = shortStatement('publish-item-changes', {
  sql: 'select publish_item_changes(:events_max, :changes_max) as published',
  parameters: { events_max: int4, changes_max: int4 },
  columns: { published: int8 },
  reads: false,
})

const batch = { events_max: 1_000, changes_max: 5_000 }

/** Numbers what changed of items, prices and levels. Yields how many changes and events each batch has. */
export async function* publishItemChanges(db: Database): AsyncGenerator<number> {
  for (;;) {
    const { published = 0 } = (await db.row(publishSql, batch)) ?? {}
    if (published === 0) return
    yield published
  }
}
