/** The catalogue as operators search it. */
import { scanMax } from './list-items.ts'
import { operatorItemColumns, operatorItemOf, type OperatorItem } from './read-operator-item.ts'
import { searchedWords } from '../input/search-words.ts'
import { idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const listOperatorItemsSql = statement(new URL('list-operator-items.sql', import.meta.url), {
  parameters: {
    way: text,
    search: nullable(text),
    words: nullable(textArray),
    brand_id: nullable(int8),
    brand: nullable(text),
    of_brand: bool,
    missing_price: nullable(int8),
    short: bool,
    after_id: int8,
    page_size: int8,
    scan_max: int8,
  },
  columns: { found: bool, ...operatorItemColumns },
})

export interface OperatorItemFilter {
  readonly search?: string | undefined
  readonly brand_id?: number | undefined
  readonly brand?: string | undefined
  readonly missing_price?: number | undefined
  readonly short?: boolean | undefined
}

/** In item order. */
export async function listOperatorItems(
  db: Database,
  filter: OperatorItemFilter,
  page: PageRequest,
): Promise<Page<OperatorItem>> {
  const rows = await db.rows(listOperatorItemsSql, operatorItemsPage(filter, idAfter(page) ?? 0, page.limit + 1))
  const found = rows.filter((row) => row.found)
  const shown = found.slice(0, page.limit)
  // After a full page, the next one starts after its last item; otherwise after the last item examined.
  const last = found.length > shown.length ? shown.at(-1) : rows.find((row) => !row.found)
  return { data: shown.map(operatorItemOf), next_cursor: last === undefined ? null : page.cursorAt(last.item_id) }
}

/** The statement's parameters for a page. */
export function operatorItemsPage(
  { search, brand_id, brand, missing_price, short = false }: OperatorItemFilter,
  after_id: number,
  page_size: number,
): Values<(typeof listOperatorItemsSql)['parameters']> {
  const of_brand = brand_id !== undefined || brand !== undefined
  const tested = search !== undefined || missing_price !== undefined || short
  return {
    way: search !== undefined ? 'search' : short ? 'short' : of_brand ? 'brand' : 'all',
    search: search ?? null,
    words: search === undefined ? null : searchedWords(search),
    brand_id: brand_id ?? null,
    brand: brand ?? null,
    of_brand,
    missing_price: missing_price ?? null,
    short,
    after_id,
    page_size,
    scan_max: tested ? scanMax : page_size,
  }
}
