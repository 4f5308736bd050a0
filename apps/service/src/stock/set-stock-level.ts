import { stockLevelColumns, stockLevelOf, type StockLevel } from './stock-level.ts'
import { call, functionCall } from '../functions/call.ts'
import { expectedPieces, type Expecting } from '../input/expected.ts'
import { integer } from '../input/fields.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int8, nullable, text } from 'pg-statements/types.ts'

export const onHandMax = 1_000_000_000 // More of one item in one stock is a typing error.
export const onHand = integer({ min: 0, max: onHandMax, description: 'Pieces counted in stock.', example: 250 })
export const expectedOnHand = expectedPieces('How many pieces are in stock', 40)

const setStockLevelSql = functionCall(new URL('set_stock_level.sql', import.meta.url), {
  parameters: {
    stock: int8,
    item: int8,
    counted: int8,
    takes_back_orders: nullable(bool),
    expected: nullable(int8),
    actor: text,
    request_id: text,
  },
  answer: 'level_answer(:stock, :item, f.refused)',
  columns: stockLevelColumns,
})

interface LevelInput extends Expecting {
  readonly stock_id: number
  readonly item_id: number
  readonly on_hand: number
  readonly back_order?: boolean | undefined
  readonly actor: string
  readonly request_id: string
}

/** Sets the counted stock of an item and whether back-orders are taken. Never below what orders have reserved. */
export const setStockLevel = async (
  db: Database,
  { stock_id, item_id, on_hand, back_order, expected, ...by }: LevelInput,
): Promise<StockLevel> =>
  stockLevelOf(
    await call(db, setStockLevelSql, {
      stock: stock_id,
      item: item_id,
      counted: on_hand,
      takes_back_orders: back_order ?? null,
      expected: expected ?? null,
      ...by,
    }),
  )
