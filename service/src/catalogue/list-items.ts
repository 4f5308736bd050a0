/** The catalogue as a client sees it: what it may order, at its price, with availability. */
import Type, { type Static } from 'typebox'
import { exampleItem, Item, itemColumns, itemOf } from './item.ts'
import { wordsOf } from './item-words.ts'
import { exampleStock, Stock, stockColumns } from './stock.ts'
import type { Actor } from '../access/actor.ts'
import { decodeCursor, encodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, nullable, numeric, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const OfferedItem = Type.Object(
  {
    ...Item.properties,
    price: Type.Number({ description: 'The price under `contract_id`, or under the default contract.' }),
    availability: Type.Array(
      Type.Object(
        {
          ...Stock.properties,
          available: Type.Integer({ description: 'Pieces that can be ordered now, without back-orders.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'The stocks that serve the client and carry the item.' },
    ),
  },
  {
    $id: 'OfferedItem',
    additionalProperties: false,
    examples: [{ ...exampleItem, price: 55.26, availability: [{ ...exampleStock, available: 37 }] }],
  },
)
export type OfferedItem = Static<typeof OfferedItem>

const offerColumns = {
  ...itemColumns,
  price: numeric,
  stock_id: nullable(stockColumns.stock_id),
  stock_name: nullable(stockColumns.stock_name),
  available: nullable(int8),
}

const listItemsSql = statement(new URL('list-items.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contract_id: nullable(int8),
    words: nullable(textArray),
    brand_id: nullable(int8),
    stock_id: nullable(int8),
    after_id: int8,
    page_size: int8,
    scan_max: int8,
  },
  columns: { last_id: int8, more: bool, ...offerColumns, item_id: nullable(int8) },
})

const readItemSql = statement(new URL('read-item.sql', import.meta.url), {
  parameters: { client_id: int8, contract_id: nullable(int8), item_id: int8 },
  columns: { contract_id: int8, ...offerColumns, item_id: nullable(int8) },
})

const scanMax = 2_000 // Items examined for one page: about 10 ms in the worst case.
const wordsMax = 10 // More words than a title has do not narrow a search further.

interface ItemFilter {
  readonly contract_id?: number | undefined
  readonly search?: string | undefined
  readonly brand_id?: number | undefined
  readonly stock_id?: number | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export async function listItems(db: Database, { client_id }: Actor, filter: ItemFilter): Promise<Page<OfferedItem>> {
  const { contract_id = null, search, brand_id = null, stock_id = null, limit = pageSizeDefault } = filter
  const filters = [filter.contract_id, search, filter.brand_id, filter.stock_id]
  const rows = await db.rows(listItemsSql, {
    client_id,
    contract_id,
    words: search === undefined ? null : wordsOf(search).slice(0, wordsMax),
    brand_id,
    stock_id,
    after_id: decodeCursor(filter.cursor, filters) ?? 0,
    page_size: limit + 1,
    scan_max: scanMax,
  })
  const [first] = rows
  if (first === undefined) throw contractNotFound(filter.contract_id)
  const found = itemsOf(rows)
  const data = found.slice(0, limit)
  // After a full page the next one starts behind its last item; otherwise behind the last item examined.
  const goOnAfter = found.length > limit ? data.at(-1)?.item_id : first.more ? first.last_id : undefined
  return { data, next_cursor: goOnAfter === undefined ? null : encodeCursor(goOnAfter, filters) }
}

export async function readItem(
  db: Database,
  { client_id }: Actor,
  request: { item_id: number; contract_id: number | undefined },
): Promise<OfferedItem> {
  const rows = await db.rows(readItemSql, {
    client_id,
    item_id: request.item_id,
    contract_id: request.contract_id ?? null,
  })
  if (rows.length === 0) throw contractNotFound(request.contract_id)
  const [item] = itemsOf(rows)
  if (item === undefined) throw new Refusal('item_not_found', { item_id: request.item_id })
  return item
}

type OfferRow = Omit<Values<typeof offerColumns>, 'item_id'> & { item_id: number | null }

/** One row per item and stock, in item order. */
function itemsOf(rows: readonly OfferRow[]): OfferedItem[] {
  const items: OfferedItem[] = []
  for (const row of rows) {
    if (row.item_id === null) continue
    let item = items.at(-1)
    if (item?.item_id !== row.item_id) {
      item = { ...itemOf({ ...row, item_id: row.item_id }), price: row.price, availability: [] }
      items.push(item)
    }
    if (row.stock_id !== null && row.stock_name !== null && row.available !== null) {
      item.availability.push({ stock_id: row.stock_id, stock_name: row.stock_name, available: row.available })
    }
  }
  return items
}

/** Every client has a contract, so the one that was requested is missing. */
function contractNotFound(contract_id: number | undefined): Refusal {
  return new Refusal('contract_not_found', { contract_id: contract_id ?? 0 }, { field: 'contract_id' })
}
