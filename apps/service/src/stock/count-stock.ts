import Type, { type Static } from 'typebox'
import { call, functionCall } from '../functions/call.ts'
import type { Expecting } from '../input/expected.ts'
import { holdable, orderStateWords } from '../vocabulary/order-states.ts'
import { exampleLevel, StockLevel, stockLevelColumns, stockLevelOf } from './stock-level.ts'
import { retryParameters } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'
import { word } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, plainJsonOf, text, textArray } from 'pg-statements/types.ts'

/** More lines of one article are rarely open at once, and looking at them takes about 20 ms. */
const linesMax = 2_000

const AffectedOrder = Type.Object({
  order_id: Type.Integer({ description: 'The order.' }),
  order_number: Type.Integer({ description: 'Its number.' }),
  client_id: Type.Integer({ description: 'Its client.' }),
  client_name: Type.String({ description: 'The name of the client.' }),
  order_state_id: word(orderStateWords, 'Its state.'),
  order_create_datetime: Type.String({ description: 'When it was placed.' }),
  order_item_id: Type.Integer({ description: 'The line.' }),
  open: Type.Integer({ description: 'Pieces of the line that are not shipped.' }),
  short: Type.Integer({ description: 'How many of them the stock does not have.' }),
})

export const StockCount = Type.Object(
  {
    ...StockLevel.properties,
    on_hand_before: Type.Integer({ description: 'Pieces in stock before the count.' }),
    affected_orders: Type.Array(AffectedOrder, {
      description:
        'The orders that the stock can no longer serve, oldest first. It serves orders in the order of their creation, so these are the newest ones.',
    }),
    short_unlisted: Type.Integer({
      description: `Missing pieces of orders that are not among the newest ${linesMax} lines of the article; usually 0.`,
    }),
  },
  {
    $id: 'StockCount',
    examples: [
      {
        ...exampleLevel,
        on_hand: 2,
        reserved: 3,
        available: 0,
        shortage: 1,
        on_hand_before: 40,
        affected_orders: [
          {
            order_id: 5012,
            order_number: 100_234,
            client_id: 1,
            client_name: 'Lindner Car Service',
            order_state_id: 'processing',
            order_create_datetime: '2026-11-15 09:30:00',
            order_item_id: 20_044,
            open: 3,
            short: 1,
          },
        ],
        short_unlisted: 0,
      },
    ],
  },
)
export type StockCount = Static<typeof StockCount>

/** A row for each affected order, or one of the level alone. */
const rowColumns = {
  ...stockLevelColumns,
  on_hand_before: int8,
  order_id: nullable(int8),
  order_number: nullable(int8),
  client_id: nullable(int8),
  client_name: nullable(text),
  order_state_id: nullable(text),
  order_create_datetime: nullable(datetime),
  order_item_id: nullable(int8),
  open: nullable(int4),
  short: nullable(int4),
}
type CountRow = Values<typeof rowColumns>

const countStockSql = functionCall(new URL('count_stock.sql', import.meta.url), {
  parameters: {
    stock: int8,
    item: int8,
    counted: int8,
    reason: text,
    holding: textArray,
    lines_max: int8,
    expected: nullable(int8),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { answer: plainJsonOf<{ rows: CountRow[] }>() },
})

interface CountInput extends Expecting {
  readonly stock_id: number
  readonly item_id: number
  readonly on_hand: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

/** Records what a count found, even if orders have reserved more. Nothing new is reserved until the shortage is covered. */
export async function countStock(
  db: Database,
  { stock_id: stock, item_id: item, on_hand: counted, expected = null, ...input }: CountInput,
  retry: Retry,
): Promise<StockCount> {
  const values = { stock, item, counted, expected, ...input, ...retry, holding: holdable, lines_max: linesMax }
  const { answer } = await call(db, countStockSql, values)
  const rows = answer.rows.map((row) => ({
    ...row, // JSON has the time as 2026-11-16T09:30:00.000+00:00.
    order_create_datetime: row.order_create_datetime?.slice(0, 19).replace('T', ' ') ?? null,
  }))
  return countOf(rows)
}

function countOf(rows: readonly CountRow[]): StockCount {
  const [first] = rows
  if (first === undefined) throw new Error('A count returns the level.')
  const affected_orders = rows.flatMap(affectedOf)
  const missing = Math.max(first.reserved - first.on_hand, 0)
  return {
    ...stockLevelOf(first),
    on_hand_before: first.on_hand_before,
    affected_orders,
    short_unlisted: missing - affected_orders.reduce((sum, { short }) => sum + short, 0),
  }
}

/** Without affected orders there is one row, of the level alone. */
function affectedOf(row: CountRow): StockCount['affected_orders'] {
  const { order_id, order_number, client_id, client_name, order_state_id, order_create_datetime } = row
  const { order_item_id, open, short } = row
  if (
    order_id === null ||
    order_number === null ||
    client_id === null ||
    client_name === null ||
    order_state_id === null ||
    order_create_datetime === null ||
    order_item_id === null ||
    open === null ||
    short === null
  )
    return []
  return [
    {
      order_id,
      order_number,
      client_id,
      client_name,
      order_state_id,
      order_create_datetime,
      order_item_id,
      open,
      short,
    },
  ]
}
