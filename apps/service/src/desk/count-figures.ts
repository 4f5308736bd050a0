/** The worker's part of the figures: see read-figures.ts. */
import { figureDays, openStates } from './read-figures.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, text, textArray } from 'pg-statements/types.ts'

/** Of each state. The figure says so if there are more. */
export const openOrdersMax = 20_000

const countDaySql = statement(new URL('count-day.sql', import.meta.url), {
  parameters: { days: int4 },
  columns: { counted: int8 },
})
const sumOpenSql = statement(new URL('sum-open.sql', import.meta.url), {
  parameters: { states: textArray, most: int8 },
  columns: { state_id: text },
})

/** Counts every day that is due, one at a time, and then what is open. */
export async function* countFigures(db: Database): AsyncGenerator<number> {
  for (;;) {
    const { counted = 0 } = (await db.row(countDaySql, { days: figureDays })) ?? {}
    if (counted === 0) break
    yield counted
  }
  yield (await db.rows(sumOpenSql, { states: openStates, most: openOrdersMax })).length
}
