/** How much there is to do at the order desk. */
import Type, { type Static } from 'typebox'
import { inboxKinds } from './inbox-entry.ts'
import { goodsIn, orderStateWords, stateIds } from '../../vocabulary/order-states.ts'
import { word } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const countMax = 1_000 // Nobody works through more in a day.
// Stock levels with back-orders or a shortage that are examined for `short`. Each is on a page of its own: with 10,000,
// they were 10,044 of the 10,441 pages that the statement read, and 513 of 579 ms, in a database of a million items.
const levelsExaminedMax = 2_000

const figure = {
  count: Type.Integer({ description: `The number, at most ${countMax}.` }),
  more: Type.Boolean({ description: 'Whether there are, or may be, more than these.' }),
}
const StateCount = Type.Object({ state_id: word(orderStateWords, 'The state.'), ...figure })

export const Counts = Type.Object(
  {
    orders: Type.Array(StateCount, { description: 'The orders of each state.' }),
    stocks: Type.Array(
      Type.Object({
        stock_id: Type.Integer({ description: 'The stock.' }),
        stock_name: Type.String({ description: 'Its name.' }),
        orders: Type.Array(StateCount, { description: 'Its orders of each state before shipping.' }),
      }),
      { description: 'What each stock still has to ship.' },
    ),
    inbox: Type.Array(Type.Object({ kind: word(inboxKinds, 'What is requested.'), ...figure }), {
      description: 'The requests that wait for a decision.',
    }),
    held: Type.Object(figure, { description: 'The orders on hold.' }),
    short: Type.Object(figure, { description: 'The stock levels with more reserved than on hand.' }),
  },
  {
    $id: 'Counts',
    examples: [
      {
        orders: [
          { state_id: 'new', count: 12, more: false },
          { state_id: 'completed', count: countMax, more: true },
        ],
        stocks: [{ stock_id: 1, stock_name: 'Berlin', orders: [{ state_id: 'new', count: 12, more: false }] }],
        inbox: [
          { kind: 'cancellation', count: 1, more: false },
          { kind: 'adjustment', count: 3, more: false },
          { kind: 'return', count: 0, more: false },
        ],
        held: { count: 2, more: false },
        short: { count: 0, more: false },
      },
    ],
  },
)
export type Counts = Static<typeof Counts>

const readCountsSql = statement(new URL('read-counts.sql', import.meta.url), {
  parameters: { states: textArray, open_states: textArray, most: int8, levels_max: int8 },
  columns: {
    counted: text,
    name: text,
    stock_id: nullable(int8),
    stock_name: nullable(text),
    count: int8,
    more: bool,
  },
})

type CountRow = Values<(typeof readCountsSql)['columns']>

/** The statement's parameters. */
export const countsParameters: Values<(typeof readCountsSql)['parameters']> = {
  states: [...stateIds],
  open_states: stateIds.filter((state) => goodsIn(state) === 'open'),
  most: countMax,
  levels_max: levelsExaminedMax,
}

export async function readCounts(db: Database): Promise<Counts> {
  const rows = await db.rows(readCountsSql, countsParameters)
  const of = (counted: string): CountRow[] => rows.filter((row) => row.counted === counted)
  return {
    orders: of('state').map(stateCountOf),
    stocks: stocksOf(of('stock')),
    inbox: of('inbox').map(({ name, count, more }) => ({ kind: name, count, more })),
    held: figureOf(of('held')),
    short: figureOf(of('short')),
  }
}

const stateCountOf = ({ name, count, more }: CountRow): Counts['orders'][number] => ({ state_id: name, count, more })

/** One row per stock and state, in the order of the stocks. */
function stocksOf(rows: readonly CountRow[]): Counts['stocks'] {
  const stocks: Counts['stocks'] = []
  for (const row of rows) {
    const { stock_id, stock_name } = row
    if (stock_id === null || stock_name === null) continue
    let stock = stocks.at(-1)
    if (stock?.stock_id !== stock_id) {
      stock = { stock_id, stock_name, orders: [] }
      stocks.push(stock)
    }
    stock.orders.push(stateCountOf(row))
  }
  return stocks
}

const figureOf = ([row]: readonly CountRow[]): Counts['held'] => ({ count: row?.count ?? 0, more: row?.more ?? false })
