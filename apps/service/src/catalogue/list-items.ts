/** The catalogue as a client sees it: what it may order, at its price, with availability. */
import Type, { type Static } from 'typebox'
import { exampleItem, Item, itemColumns, itemOf } from './item.ts'
import { includableNetPrice, netPriceOf } from './prices/net-price.ts'
import { exampleStock, Stock, stockColumns } from '../stock/stock.ts'
import type { Actor } from '../identity/actor.ts'
import { searchedWords } from '../input/search-words.ts'
import { idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, nullable, numeric, text, textArray } from 'pg-statements/types.ts'
import { taxModes } from '../clients/contract-terms.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { word } from '../vocabulary/schema-parts.ts'

export const OfferedItem = Type.Object(
  {
    ...Item.properties,
    price: Type.Number({ description: 'The price under `contract_id`, or under the default contract.' }),
    currency_code: Type.String({ description: 'The currency of the price, as in ISO 4217.' }),
    tax_mode: word(taxModes, 'Whether tax is included in the price, or added to it.'),
    availability: Type.Array(
      Type.Object({
        ...Stock.properties,
        available: Type.Integer({ description: 'Pieces that can be ordered now, without back-orders.' }),
        back_order: Type.Boolean({ description: 'Whether more than these can be ordered.' }),
      }),
      { description: 'The stocks that serve the client and carry the item.' },
    ),
    ...includableNetPrice,
    matched_article: Type.Optional(
      Type.String({ description: 'With `articles`: the requested article that the item matches.' }),
    ),
  },
  {
    $id: 'OfferedItem',
    examples: [
      {
        ...exampleItem,
        price: 104.17,
        currency_code: 'EUR',
        tax_mode: 'included',
        availability: [{ ...exampleStock, available: 37, back_order: false }],
      },
    ],
  },
)
export type OfferedItem = Static<typeof OfferedItem>

const offerColumns = {
  ...itemColumns,
  price: numeric,
  currency_code: text,
  tax_mode: text,
  discount_percent: numeric,
  net_price: nullable(numeric),
  stock_id: nullable(stockColumns.stock_id),
  stock_name: nullable(stockColumns.stock_name),
  available: nullable(int8),
  back_order: nullable(bool),
}

const listItemsSql = statement(new URL('list-items.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contract_id: nullable(int8),
    articles: nullable(textArray),
    search: nullable(text),
    words: nullable(textArray),
    brand_id: nullable(int8),
    brand: nullable(text),
    of_brand: bool,
    stock_id: nullable(int8),
    after_id: int8,
    page_size: int8,
    scan_max: int8,
    matches_max: int8,
    net: bool,
  },
  columns: {
    last_id: int8,
    more: bool,
    ...offerColumns,
    item_id: nullable(int8),
    matched_article: nullable(text),
  },
})

const readItemSql = statement(new URL('read-item.sql', import.meta.url), {
  parameters: { client_id: int8, contract_id: nullable(int8), item_id: int8, net: bool },
  columns: { contract_id: int8, ...offerColumns, item_id: nullable(int8) },
})

export const scanMax = 2_000 // Items examined for one page: about 10 ms in the worst case.
export const articlesMax = 100 // Their items are examined for one page: articlesMax × matchesMax is scanMax.
export const matchesMax = 20 // Brands rarely share an article; more items than this have a placeholder such as 'N/A'.

export const itemIncludes = ['net'] as const
type ItemInclude = (typeof itemIncludes)[number]

interface ItemFilter {
  readonly contract_id?: number | undefined
  readonly articles?: readonly string[] | undefined
  readonly search?: string | undefined
  readonly brand_id?: number | undefined
  readonly brand?: string | undefined
  readonly stock_id?: number | undefined
  readonly include?: readonly ItemInclude[] | undefined
}

export async function listItems(
  db: Database,
  { client_id }: Actor,
  filter: ItemFilter,
  page: PageRequest,
): Promise<Page<OfferedItem>> {
  const { articles, contract_id = null, search, brand_id = null, brand = null, stock_id = null } = filter
  const rows = await db.rows(listItemsSql, {
    client_id,
    contract_id,
    articles: articles === undefined ? null : [...articles],
    search: search ?? null,
    words: search === undefined ? null : searchedWords(search),
    brand_id,
    brand,
    of_brand: brand_id !== null || brand !== null,
    stock_id,
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
    scan_max: scanMax,
    matches_max: matchesMax,
    net: filter.include !== undefined,
  })
  const [first] = rows
  if (first === undefined) throw contractNotFound(filter.contract_id)
  const found = itemsOf(rows)
  const data = found.slice(0, page.limit)
  // After a full page the next one starts behind its last item; otherwise behind the last item examined.
  const goOnAfter = found.length > page.limit ? data.at(-1)?.item_id : first.more ? first.last_id : undefined
  return { data, next_cursor: goOnAfter === undefined ? null : page.cursorAt(goOnAfter) }
}

export async function readItem(
  db: Database,
  { client_id }: Actor,
  request: { item_id: number; contract_id?: number | undefined; include?: readonly ItemInclude[] | undefined },
): Promise<OfferedItem> {
  const rows = await db.rows(readItemSql, {
    client_id,
    item_id: request.item_id,
    contract_id: request.contract_id ?? null,
    net: request.include !== undefined,
  })
  if (rows.length === 0) throw contractNotFound(request.contract_id)
  const [item] = itemsOf(rows)
  if (item === undefined) throw new Refusal('item_not_found', { item_id: request.item_id })
  return item
}

type OfferRow = Omit<Values<typeof offerColumns>, 'item_id'> & {
  item_id: number | null
  matched_article?: string | null
}

/** One row per item and stock, in item order. */
function itemsOf(rows: readonly OfferRow[]): OfferedItem[] {
  const items: OfferedItem[] = []
  for (const row of rows) {
    if (row.item_id === null) continue
    let item = items.at(-1)
    if (item?.item_id !== row.item_id) {
      const { item_id, price, currency_code, tax_mode, net_price, matched_article = null } = row
      item = {
        ...itemOf({ ...row, item_id }),
        price,
        currency_code,
        tax_mode,
        availability: [],
        ...(net_price === null ? {} : { net: netPriceOf({ ...row, net_price }) }),
        ...(matched_article === null ? {} : { matched_article }),
      }
      items.push(item)
    }
    const { stock_id, stock_name, available, back_order } = row
    if (stock_id !== null && stock_name !== null && available !== null && back_order !== null)
      item.availability.push({ stock_id, stock_name, available, back_order })
  }
  return items
}

/** Every client has a contract, so the one that was requested is missing. */
function contractNotFound(contract_id: number | undefined): Refusal {
  return new Refusal('contract_not_found', { contract_id: contract_id ?? 0 }, { field: 'contract_id' })
}
