import { stockLevelColumns, stockLevelOf, type StockLevel } from './stock-level.ts'
import { integer } from '../input/fields.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const onHandMax = 1_000_000_000 // More of one item in one stock is a typing error.
export const onHand = integer({ min: 0, max: onHandMax, description: 'Pieces counted in stock.', example: 250 })

const setStockLevelSql = statement(new URL('set-stock-level.sql', import.meta.url), {
  parameters: {
    stock_id: int8,
    item_id: int8,
    on_hand: int8,
    back_order: nullable(bool),
    actor: text,
    request_id: text,
  },
  columns: stockLevelColumns,
  refusedBy: ['out_of_stock', 'stock_levels_pkey', 'stock_levels_stock', 'stock_levels_item'],
})

const explainStockLevelSql = statement(new URL('explain-stock-level.sql', import.meta.url), {
  parameters: { stock_id: int8, item_id: int8 },
  columns: { stock_there: bool, item_there: bool, reserved: nullable(int8), back_order: nullable(bool) },
})

interface LevelInput {
  readonly stock_id: number
  readonly item_id: number
  readonly on_hand: number
  readonly back_order?: boolean | undefined
  readonly actor: string
  readonly request_id: string
}

/** Sets the counted stock of an item and whether back-orders are taken. Never below what orders have reserved. */
export async function setStockLevel(db: Database, input: LevelInput): Promise<StockLevel> {
  const { stock_id, item_id, on_hand } = input
  const set = await settle(
    db,
    { statement: setStockLevelSql, contended: `stock level ${stock_id} ${item_id}` },
    () => db.row(setStockLevelSql, { ...input, back_order: input.back_order ?? null }),
    async () => {
      const found = await refuseMissingLevel(db, { stock_id, item_id })
      const reserved = found.reserved ?? 0
      const back_order = input.back_order ?? found.back_order ?? false
      if (!back_order && on_hand < reserved)
        throw new Refusal('stock_below_reserved', { stock_id, item_id, on_hand, reserved })
    },
  )
  return stockLevelOf(set)
}

/** Throws if there is no such stock or item; otherwise returns the level as it is. */
async function refuseMissingLevel(
  db: Database,
  { stock_id, item_id }: { stock_id: number; item_id: number },
): Promise<{ reserved: number | null; back_order: boolean | null }> {
  const found = await db.row(explainStockLevelSql, { stock_id, item_id })
  if (found?.stock_there !== true) throw new Refusal('stock_not_found', { stock_id })
  if (!found.item_there) throw new Refusal('item_not_found', { item_id })
  return found
}
