/** The catalogue as a client sees it: what it may order, at its price, with availability. */
import Type, { type Static } from 'typebox'
import { exampleItem, Item, itemColumns, itemOf } from './item.ts'
import { includableNetPrice, netPriceOf } from './prices/net-price.ts'
import { type NetBreak, OfferedBreak, offeredBreaksOf } from './prices/price-breaks.ts'
import { includableQuantityRules, quantityRuleColumns, quantityRulesOf } from './quantities/quantity-rules.ts'
import { includablePromise, type Promised } from '../stock/promise.ts'
import { exampleStock, Stock, stockColumns } from '../stock/stock.ts'
import type { Actor } from '../identity/actor.ts'
import { searchedWords } from '../input/search-words.ts'
import { idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, jsonOf, nullable, numeric, plainJsonOf, text, textArray } from 'pg-statements/types.ts'
import { taxModes } from '../clients/contract-terms.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { refer, word } from '../vocabulary/schema-parts.ts'

const exampleSubstitute = {
  ...exampleItem,
  price: 98.5,
  availability: [{ ...exampleStock, available: 12, back_order: false }],
}

/** As offered_substitutes.sql returns them. */
export const OfferedSubstitute = Type.Object(
  {
    ...Item.properties,
    price: Type.Number({ description: 'The price under the same contract, in the same currency.' }),
    availability: Type.Array(
      Type.Object({
        ...Stock.properties,
        available: Type.Integer({ description: 'Pieces that can be ordered now, without back-orders.' }),
        back_order: Type.Boolean({ description: 'Whether more than these can be ordered.' }),
      }),
      { description: 'The stocks that serve the client and carry the item.' },
    ),
  },
  { $id: 'OfferedSubstitute', examples: [exampleSubstitute] },
)
export type OfferedSubstitute = Static<typeof OfferedSubstitute>

interface OfferedSubstitutes {
  readonly replaced_by: OfferedSubstitute | null
  readonly substitutes: OfferedSubstitute[]
}

const includableSubstitutes = {
  replaced_by: Type.Optional(
    Type.Union([refer(OfferedSubstitute), Type.Null()], {
      description: 'The item that replaces it for good; null if there is none that the client can order.',
    }),
  ),
  substitutes: Type.Optional(
    Type.Array(refer(OfferedSubstitute), { description: 'What the client can order in its place, best first.' }),
  ),
}

export const exampleOffer = {
  ...exampleItem,
  price: 104.17,
  currency_code: 'EUR',
  tax_mode: 'included' as const,
  availability: [{ ...exampleStock, available: 37, back_order: false }],
}

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
        ...includablePromise,
      }),
      { description: 'The stocks that serve the client and carry the item.' },
    ),
    ...includableNetPrice,
    price_breaks: Type.Optional(
      Type.Array(refer(OfferedBreak), { description: 'The prices of larger quantities of a line, by quantity.' }),
    ),
    ...includableQuantityRules,
    ...includableSubstitutes,
    matched_article: Type.Optional(
      Type.String({ description: 'With `articles`: the requested article that the item matches.' }),
    ),
  },
  {
    $id: 'OfferedItem',
    examples: [exampleOffer],
  },
)
export type OfferedItem = Static<typeof OfferedItem>

export const offerColumns = {
  ...itemColumns,
  price: numeric,
  currency_code: text,
  tax_mode: text,
  discount_percent: numeric,
  net_price: nullable(numeric),
  quantity_min: nullable(quantityRuleColumns.quantity_min),
  quantity_multiple: nullable(quantityRuleColumns.quantity_multiple),
  price_breaks: nullable(jsonOf<NetBreak[]>()),
  stock_id: nullable(stockColumns.stock_id),
  stock_name: nullable(stockColumns.stock_name),
  available: nullable(int8),
  back_order: nullable(bool),
  promise: nullable(plainJsonOf<Promised>()),
  offered_substitutes: nullable(plainJsonOf<OfferedSubstitutes>()),
}

/** `promised`: the pieces for which a shipping day is shown; null if none is. */
/** Of a list and of a single item; a copy takes the first two. */
const includeParameters = { net: bool, breaks: bool, promised: nullable(int8), substitutes: bool }

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
    ...includeParameters,
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
  parameters: { client_id: int8, contract_id: nullable(int8), item_id: int8, ...includeParameters },
  columns: { contract_id: int8, ...offerColumns, item_id: nullable(int8) },
})

export const scanMax = 2_000 // Items examined for one page: about 10 ms in the worst case.
export const articlesMax = 100 // Their items are examined for one page: articlesMax × matchesMax is scanMax.
export const matchesMax = 20 // Brands rarely share an article; more items than this have a placeholder such as 'N/A'.

export const itemsInFullMax = 100 // Items of a page with promises or substitutes: some 50 µs for each stock of each.

/** What a copy can have: it would not learn of another arrival, cut-off time or substitute. */
export const copyIncludes = ['net', 'price_breaks', 'quantity_rules'] as const
export const itemIncludes = [...copyIncludes, 'promise', 'substitutes'] as const
export type ItemInclude = (typeof itemIncludes)[number]

interface Shown {
  readonly include?: readonly ItemInclude[] | undefined
  readonly quantity?: number | undefined
}

const includedOf = ({ include, quantity = 1 }: Shown): Values<typeof includeParameters> => ({
  net: include?.includes('net') === true,
  breaks: include?.includes('price_breaks') === true,
  promised: include?.includes('promise') === true ? quantity : null,
  substitutes: include?.includes('substitutes') === true,
})

interface ItemFilter extends Shown {
  readonly contract_id?: number | undefined
  readonly articles?: readonly string[] | undefined
  readonly search?: string | undefined
  readonly brand_id?: number | undefined
  readonly brand?: string | undefined
  readonly stock_id?: number | undefined
}

export async function listItems(
  db: Database,
  { client_id }: Actor,
  filter: ItemFilter,
  requested: PageRequest,
): Promise<Page<OfferedItem>> {
  const included = includedOf(filter)
  const isLong = included.promised !== null || included.substitutes
  const limit = isLong ? Math.min(requested.limit, itemsInFullMax) : requested.limit
  const page = { ...requested, limit }
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
    ...included,
  })
  const [first] = rows
  if (first === undefined) throw contractNotFound(filter.contract_id)
  const found = itemsOf(rows, filter.include)
  const data = found.slice(0, page.limit)
  // After a full page the next one starts behind its last item; otherwise behind the last item examined.
  const goOnAfter = found.length > page.limit ? data.at(-1)?.item_id : first.more ? first.last_id : undefined
  return { data, next_cursor: goOnAfter === undefined ? null : page.cursorAt(goOnAfter) }
}

export async function readItem(
  db: Database,
  { client_id }: Actor,
  request: Shown & { readonly item_id: number; readonly contract_id?: number | undefined },
): Promise<OfferedItem> {
  const rows = await db.rows(readItemSql, {
    client_id,
    item_id: request.item_id,
    contract_id: request.contract_id ?? null,
    ...includedOf(request),
  })
  if (rows.length === 0) throw contractNotFound(request.contract_id)
  const [item] = itemsOf(rows, request.include)
  if (item === undefined) throw new Refusal('item_not_found', { item_id: request.item_id })
  return item
}

type OfferRow = Omit<Values<typeof offerColumns>, 'item_id'> & {
  item_id: number | null
  matched_article?: string | null
}

/** One row per item and stock, in item order. */
export function itemsOf(rows: readonly OfferRow[], include: readonly ItemInclude[] = []): OfferedItem[] {
  const items: OfferedItem[] = []
  for (const row of rows) {
    if (row.item_id === null) continue
    let item = items.at(-1)
    if (item?.item_id !== row.item_id) {
      const { item_id, price, currency_code, tax_mode, net_price, price_breaks, matched_article = null } = row
      const { quantity_min, quantity_multiple } = row
      item = {
        ...itemOf({ ...row, item_id }),
        price,
        currency_code,
        tax_mode,
        availability: [],
        ...(net_price === null ? {} : { net: netPriceOf({ ...row, net_price }) }),
        ...(price_breaks === null ? {} : { price_breaks: offeredBreaksOf(price_breaks, row, include.includes('net')) }),
        ...(include.includes('quantity_rules') && quantity_min !== null && quantity_multiple !== null
          ? { quantity_rules: quantityRulesOf({ quantity_min, quantity_multiple }) }
          : {}),
        ...row.offered_substitutes,
        ...(matched_article === null ? {} : { matched_article }),
      }
      items.push(item)
    }
    const { stock_id, stock_name, available, back_order, promise } = row
    if (stock_id !== null && stock_name !== null && available !== null && back_order !== null)
      item.availability.push({ stock_id, stock_name, available, back_order, ...(promise && { promise }) })
  }
  return items
}

/** Every client has a contract, so the one that was requested is missing. */
export function contractNotFound(contract_id: number | undefined): Refusal {
  return new Refusal('contract_not_found', { contract_id: contract_id ?? 0 }, { field: 'contract_id' })
}
