/** Figures per day, and the value of what is open. The worker counts them: see count-figures.ts. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { goodsIn, orderStateWords, stateIds } from '../vocabulary/order-states.ts'
import { textOrNull, word } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { datetime, int4, jsonOf, nullable, textArray } from 'pg-statements/types.ts'

export const figureDays = 30 // What a chart shows.
export const openStates: string[] = stateIds.filter((state) => goodsIn(state) === 'open')

const DayFigures = Type.Object({
  date: Type.String({ description: "The day, `YYYY-MM-DD`, in the service's time zone." }),
  placed: Type.Integer({ description: 'The orders that were placed.' }),
  shipped: Type.Integer({ description: 'The orders of which something was shipped.' }),
  ship_hours: Type.Union([Type.Number(), Type.Null()], {
    description: 'Their mean time from placing to shipping, in hours; null if there is none.',
  }),
})

const OpenFigures = Type.Object({
  state_id: word(orderStateWords, 'The state.'),
  count: Type.Integer({ description: 'The orders in it.' }),
  total: Type.Number({ description: 'The sum of their totals, in the base currency.' }),
  more: Type.Boolean({ description: 'Whether there are more, which are not counted.' }),
})

export const Figures = Type.Object(
  {
    days: Type.Array(DayFigures, { description: `The last ${figureDays} days, oldest first, as far as counted.` }),
    open: Type.Array(OpenFigures, { description: 'The states before shipping.' }),
    counted_at: textOrNull('When they were last counted, `YYYY-MM-DD HH:MM:SS`; null for never.'),
  },
  {
    $id: 'Figures',
    examples: [
      {
        days: [{ date: '2026-11-16', placed: 412, shipped: 388, ship_hours: 26.5 }],
        open: [{ state_id: 'new', count: 120, total: 48_210.55, more: false }],
        counted_at: '2026-11-16 09:40:00',
      },
    ],
  },
)
export type Figures = Static<typeof Figures>

const readFiguresSql = statement(new URL('read-figures.sql', import.meta.url), {
  parameters: { days: int4, states: textArray },
  columns: {
    days: jsonOf<Figures['days']>(),
    open: jsonOf<Figures['open']>(),
    counted_at: nullable(datetime),
  },
})

export async function readFigures(db: Database): Promise<Figures> {
  const figures = await db.row(readFiguresSql, { days: figureDays, states: openStates })
  assert(figures) // A select without a table has one row.
  return figures
}
