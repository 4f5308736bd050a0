import { stockLevelColumns, stockLevelOf, type StockLevel } from './stock-level.ts'
import { cutPage, type Page, type PageRequest, positionAfter } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable } from 'pg-statements/types.ts'

const listStockLevelsSql = statement(new URL('list-stock-levels.sql', import.meta.url), {
  parameters: {
    stock_id: nullable(int8),
    item_id: nullable(int8),
    after_stock: int8,
    after_item: int8,
    page_size: int8,
  },
  columns: stockLevelColumns,
})

interface LevelFilter {
  readonly stock_id?: number | undefined
  readonly item_id?: number | undefined
}

/** By stock and item. */
export async function listStockLevels(
  db: Database,
  { stock_id, item_id }: LevelFilter,
  page: PageRequest,
): Promise<Page<StockLevel>> {
  const [, stock = '0', item = '0'] = positionAfter(page, /^(\d+)-(\d+)$/) ?? []
  const rows = await db.rows(listStockLevelsSql, {
    stock_id: stock_id ?? null,
    item_id: item_id ?? null,
    after_stock: Number(stock),
    after_item: Number(item),
    page_size: page.limit + 1,
  })
  return cutPage(rows.map(stockLevelOf), page, (level) => `${level.stock_id}-${level.item_id}`)
}
