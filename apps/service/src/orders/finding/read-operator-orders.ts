import { operatorAdjustmentOf, type AdjustmentRow } from '../adjustment.ts'
import { operatorOrderColumns, operatorOrderOf, type FullOrder, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { bytesPerPageMax } from '../order-goods.ts'
import { goodsIn, stateIds, type OrderState } from '../../vocabulary/order-states.ts'
import { searchedWords } from '../../input/search-words.ts'
import { idAfter, mapRows, type Page, type PageRequest, positionAfter } from '../../vocabulary/paging.ts'
import type { MetadataPair } from '../../input/metadata.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, date, datetime, int8, jsonOf, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../../vocabulary/refusals.ts'

/** The filters that operator-orders-page.part.sql tests, and the size of the page. */
const pageParameters = {
  scan_max: int8,
  client: nullable(int8),
  states: textArray,
  open_states: textArray,
  stock_id: nullable(int8),
  contract_id: nullable(int8),
  tested_sku: nullable(text),
  tested_key: nullable(text),
  tested_value: nullable(text),
  date_from: nullable(datetime),
  date_to: nullable(datetime),
  ship_from: nullable(date),
  ship_to: nullable(date),
  changed_since: nullable(datetime),
  held: nullable(bool),
  virtual: nullable(bool),
  short: nullable(bool),
  page_size: int8,
  bytes_max: int8,
}
const pageColumns = { ...operatorOrderColumns, position: text, found: bool, fits: bool }

const listOperatorOrdersSql = statement(new URL('list-operator-orders.sql', import.meta.url), {
  parameters: {
    ...pageParameters,
    way: text,
    sku_code: nullable(text),
    pair_key: nullable(text),
    pair_value: nullable(text),
    after_id: nullable(int8),
  },
  columns: pageColumns,
  listed: operatorOrderColumns,
})

const searchOrdersSql = statement(new URL('search-orders.sql', import.meta.url), {
  parameters: {
    ...pageParameters,
    search: text,
    words: textArray,
    number: nullable(int8),
    keys_max: int8,
    references_max: int8,
    after_id: nullable(int8),
  },
  columns: pageColumns,
  listed: operatorOrderColumns,
})

const sortOrdersSql = statement(new URL('sort-orders.sql', import.meta.url), {
  parameters: { ...pageParameters, sort: text, after_key: nullable(int8), after_id: int8 },
  columns: pageColumns,
  listed: operatorOrderColumns,
})

const findOperatorOrderSql = statement(new URL('find-operator-order.sql', import.meta.url), {
  parameters: { order_id: nullable(int8), order_number: nullable(int8) },
  columns: { ...operatorOrderColumns, adjustments: jsonOf<AdjustmentRow[]>() },
  listed: operatorOrderColumns,
})

export async function readOperatorOrder(db: Database, order_id: number, labels: StateLabels): Promise<FullOrder> {
  const order = await db.row(findOperatorOrderSql, { order_id, order_number: null })
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  return { ...operatorOrderOf(order, labels), adjustments: order.adjustments.map(operatorAdjustmentOf) }
}

export const ordersScannedMax = 2_000 // Orders examined for one page: about 10 ms in the worst case.

const ordersFoundMax = 500 // The same for a search, which walks up to 30 indexes as far.
const keysMax = 10 // Clients, articles and cities that a search follows: more of them need a longer text.
const referencesMax = 500 // A text that begins more references than this only finds those that equal it.

type OrderSort = 'created' | 'ship_date' | 'total' | 'changed'
export const orderSorts: readonly OrderSort[] = ['created', 'ship_date', 'total', 'changed']

export interface OrderFilter {
  readonly client_id?: number | undefined
  readonly state?: readonly OrderState[] | undefined
  readonly stock_id?: number | undefined
  readonly contract_id?: number | undefined
  readonly sku_code?: string | undefined
  readonly metadata?: MetadataPair | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
  readonly ship_from?: string | undefined
  readonly ship_to?: string | undefined
  readonly changed_since?: string | undefined
  readonly held?: boolean | undefined
  readonly virtual?: boolean | undefined
  readonly short?: boolean | undefined
}

interface OrderQuery extends OrderFilter {
  readonly order_number?: number | undefined
  readonly search?: string | undefined
  readonly sort?: OrderSort | undefined
}

/** All clients' orders. An order number identifies one order; the other filters are then ignored. */
export async function listOperatorOrders(
  db: Database,
  { order_number, ...query }: OrderQuery,
  page: PageRequest,
  labels: StateLabels,
): Promise<Page<OperatorOrder>> {
  if (order_number !== undefined) {
    const rows = await db.rows(findOperatorOrderSql, { order_id: null, order_number })
    return { data: rows.map((row) => operatorOrderOf(row, labels)), next_cursor: null }
  }
  const rows = await ordersOf(db, query, page)
  const found = rows.filter((row) => row.found)
  const shown = found.filter(({ fits }) => fits).slice(0, page.limit)
  // After a full page, the next one starts after its last order; otherwise after the last order examined.
  const last = found.length > shown.length ? shown.at(-1) : rows.find((row) => !row.found)
  return {
    data: await mapRows(shown, (row) => operatorOrderOf(row, labels)),
    next_cursor: last === undefined ? null : page.cursorAt(last.position),
  }
}

function ordersOf(
  db: Database,
  { search, sort, ...filter }: Omit<OrderQuery, 'order_number'>,
  page: PageRequest,
): Promise<Values<typeof pageColumns>[]> {
  const page_size = page.limit + 1
  if (search !== undefined) {
    if (sort !== undefined && sort !== 'created') throw sortRefused(sort)
    return db.rows(searchOrdersSql, searchedOrdersPage(search, filter, idAfter(page), page_size))
  }
  const sorted = sort ?? sortFor(filter)
  if (sorted === 'created') return db.rows(listOperatorOrdersSql, operatorOrdersPage(filter, idAfter(page), page_size))
  const [, key, id] = positionAfter(page, /^(\d+)-(\d+)$/) ?? []
  const after = key === undefined || id === undefined ? null : { key: Number(key), id: Number(id) }
  return db.rows(sortOrdersSql, sortedOrdersPage(sorted, filter, after, page_size))
}

/** A filter by another date than that of the creation is walked in the order of that date. */
function sortFor({ changed_since, ship_from, ship_to }: OrderFilter): OrderSort {
  if (changed_since !== undefined) return 'changed'
  return ship_from !== undefined || ship_to !== undefined ? 'ship_date' : 'created'
}

/** The orders of each key are stored newest first. */
const sortRefused = (sort: OrderSort): Refusal =>
  new Refusal([refusalError('field_invalid', { field: 'sort', value: sort, rule: 'created in a search' })])

/** The statement's parameters for a page, newest first. */
export function operatorOrdersPage(
  filter: OrderFilter,
  after_id: number | null,
  page_size: number,
): Values<typeof listOperatorOrdersSql.parameters> {
  const { way, tested } = wayTo(filter)
  const { sku_code, metadata, ship_from, ship_to, changed_since, held, virtual, short } = filter
  const all = [...tested, ship_from, ship_to, changed_since, way === 'held' ? undefined : held, virtual, short]
  return {
    ...pageOf(filter, page_size),
    // The index of the pair is walked, or else that of the article.
    tested_sku: metadata === undefined ? null : (sku_code ?? null),
    tested_key: null,
    tested_value: null,
    scan_max: all.every((value) => value === undefined) ? page_size : ordersScannedMax,
    way,
    sku_code: sku_code ?? null,
    pair_key: metadata?.key ?? null,
    pair_value: metadata?.value ?? null,
    after_id,
  }
}

/** The statement's parameters for a page of a search. */
export function searchedOrdersPage(
  search: string,
  filter: OrderFilter,
  after_id: number | null,
  page_size: number,
): Values<typeof searchOrdersSql.parameters> {
  const { date_from: _, date_to: __, ...tested } = filter
  return {
    ...pageOf(filter, page_size),
    scan_max: isEmpty(tested) ? page_size : Math.max(page_size, ordersFoundMax),
    search,
    words: searchedWords(search),
    number: /^[1-9]\d{0,14}$/.test(search) ? Number(search) : null,
    keys_max: keysMax,
    references_max: referencesMax,
    after_id,
  }
}

/** The statement's parameters for a page in another order. */
export function sortedOrdersPage(
  sort: Exclude<OrderSort, 'created'>,
  filter: OrderFilter,
  after: { readonly key: number; readonly id: number } | null,
  page_size: number,
): Values<typeof sortOrdersSql.parameters> {
  const { ship_from, ship_to, changed_since, ...others } = filter
  const tested = {
    ...others,
    ...(sort === 'ship_date' ? {} : { ship_from, ship_to }),
    ...(sort === 'changed' ? {} : { changed_since }),
  }
  return {
    ...pageOf(filter, page_size),
    scan_max: isEmpty(tested) ? page_size : ordersScannedMax,
    sort,
    after_key: after?.key ?? null,
    after_id: after?.id ?? 0,
  }
}

const isEmpty = (filter: OrderFilter): boolean => Object.values(filter).every((value) => value === undefined)

function pageOf(filter: OrderFilter, page_size: number): Omit<Values<typeof pageParameters>, 'scan_max'> {
  return {
    client: filter.client_id ?? null,
    states: [...(filter.state ?? stateIds)],
    open_states: stateIds.filter((state) => goodsIn(state) === 'open'),
    stock_id: filter.stock_id ?? null,
    contract_id: filter.contract_id ?? null,
    tested_sku: filter.sku_code ?? null,
    tested_key: filter.metadata?.key ?? null,
    tested_value: filter.metadata?.value ?? null,
    date_from: filter.date_from ?? null,
    date_to: filter.date_to ?? null,
    ship_from: filter.ship_from ?? null,
    ship_to: filter.ship_to ?? null,
    changed_since: filter.changed_since ?? null,
    held: filter.held ?? null,
    virtual: filter.virtual ?? null,
    short: filter.short ?? null,
    page_size,
    bytes_max: bytesPerPageMax,
  }
}

/** The most selective index for the filters (by a pair of metadata, by article, then by client), and the filters left to test on each order found. */
function wayTo({ client_id, state, stock_id, contract_id, sku_code, metadata, held }: OrderFilter): {
  way: string
  tested: readonly unknown[]
} {
  const ofClient = client_id !== undefined || contract_id !== undefined
  if (metadata !== undefined)
    return { way: 'metadata', tested: [client_id, state, stock_id, contract_id, sku_code, held] }
  if (sku_code !== undefined) {
    return { way: ofClient ? 'client and article' : 'article', tested: [state, stock_id, contract_id] }
  }
  if (held === true) return { way: 'held', tested: [client_id, state, stock_id, contract_id] }
  if (ofClient) return { way: state === undefined ? 'client' : 'client and state', tested: [stock_id, contract_id] }
  if (stock_id !== undefined) return { way: 'stock', tested: [] }
  return { way: state === undefined ? 'all' : 'state', tested: [] }
}
