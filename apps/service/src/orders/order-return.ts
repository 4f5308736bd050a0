/** A return of shipped goods: which lines, how many pieces of each, why, and whether they are in the stock again. */
import Type, { type Static } from 'typebox'
import type { Values } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, text } from 'pg-statements/types.ts'

export const exampleReturn = {
  return_id: 12,
  return_datetime: '2026-11-20 10:00:00',
  reason: 'Does not fit.',
  restocked: true,
  lines: [{ order_item_id: 20_044, quantity: 1 }],
}

export const OrderReturn = Type.Object(
  {
    return_id: Type.Integer({ description: 'The id of the return.' }),
    return_datetime: Type.String({ description: 'When it was recorded, `YYYY-MM-DD HH:MM:SS`.' }),
    reason: Type.String({ description: 'Why the goods came back.' }),
    restocked: Type.Boolean({ description: 'Whether the goods are in the stock again.' }),
    lines: Type.Array(
      Type.Object({
        order_item_id: Type.Integer({ description: 'The line of the order.' }),
        quantity: Type.Integer({ description: 'How many pieces of it came back.' }),
      }),
      { description: 'What came back.' },
    ),
  },
  { $id: 'OrderReturn', description: 'A return of shipped goods.', examples: [exampleReturn] },
)
export type OrderReturn = Static<typeof OrderReturn>

/** Columns of a line (r) of a return, with the return that it belongs to. */
export const returnFields = {
  return_id: int8,
  return_datetime: datetime,
  reason: text,
  restocked: bool,
  order_item_id: int8,
  quantity: int4,
}

/** Expects the lines of a return next to each other. */
export function returnsOf(rows: readonly Values<typeof returnFields>[]): OrderReturn[] {
  const returns: OrderReturn[] = []
  for (const { return_id, return_datetime, reason, restocked, order_item_id, quantity } of rows) {
    let last = returns.at(-1)
    if (last?.return_id !== return_id) {
      last = { return_id, return_datetime, reason, restocked, lines: [] }
      returns.push(last)
    }
    last.lines.push({ order_item_id, quantity })
  }
  return returns
}
