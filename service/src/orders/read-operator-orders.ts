import { operatorAdjustmentOf, type AdjustmentRow } from './adjustment.ts'
import { operatorOrderColumns, operatorOrderOf, type FullOrder, type OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { bytesPerPageMax } from './order-line.ts'
import { stateIds, type OrderState } from './order-states.ts'
import { idAfter, type Page, type PageRequest } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, date, int8, jsonOf, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const listOperatorOrdersSql = statement(new URL('list-operator-orders.sql', import.meta.url), {
  parameters: {
    way: text,
    scan_max: int8,
    client: nullable(int8),
    states: textArray,
    stock_id: nullable(int8),
    contract_id: nullable(int8),
    sku_code: nullable(text),
    date_from: nullable(date),
    date_to: nullable(date),
    after_id: nullable(int8),
    page_size: int8,
    bytes_max: int8,
  },
  columns: { ...operatorOrderColumns, found: bool, fits: bool },
})

const findOperatorOrderSql = statement(new URL('find-operator-order.sql', import.meta.url), {
  parameters: { order_id: nullable(int8), order_number: nullable(int8) },
  columns: { ...operatorOrderColumns, adjustments: jsonOf<AdjustmentRow[]>() },
})

export async function readOperatorOrder(db: Database, order_id: number, labels: StateLabels): Promise<FullOrder> {
  const order = await db.row(findOperatorOrderSql, { order_id, order_number: null })
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  return { ...operatorOrderOf(order, labels), adjustments: order.adjustments.map(operatorAdjustmentOf) }
}

export const ordersScannedMax = 2_000 // Orders examined for one page: about 10 ms in the worst case.

export interface OrderFilter {
  readonly client_id?: number | undefined
  readonly state?: readonly OrderState[] | undefined
  readonly stock_id?: number | undefined
  readonly contract_id?: number | undefined
  readonly sku_code?: string | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
}

interface OrderQuery extends OrderFilter {
  readonly order_number?: number | undefined
}

/** All clients' orders, newest first. An order number identifies one order; the other filters are then ignored. */
export async function listOperatorOrders(
  db: Database,
  { order_number, ...filter }: OrderQuery,
  page: PageRequest,
  labels: StateLabels,
): Promise<Page<OperatorOrder>> {
  if (order_number !== undefined) {
    const rows = await db.rows(findOperatorOrderSql, { order_id: null, order_number })
    return { data: rows.map((row) => operatorOrderOf(row, labels)), next_cursor: null }
  }
  const rows = await db.rows(listOperatorOrdersSql, operatorOrdersPage(filter, idAfter(page), page.limit + 1))
  const found = rows.filter((row) => row.found)
  const shown = found.filter(({ fits }) => fits).slice(0, page.limit)
  // After a full page, the next one starts after its last order; otherwise after the last order examined.
  const last = found.length > shown.length ? shown.at(-1) : rows.find((row) => !row.found)
  return {
    data: shown.map((row) => operatorOrderOf(row, labels)),
    next_cursor: last === undefined ? null : page.cursorAt(last.order_id),
  }
}

/** The statement's parameters for a page. */
export function operatorOrdersPage(
  filter: OrderFilter,
  after_id: number | null,
  page_size: number,
): Values<typeof listOperatorOrdersSql.parameters> {
  const { way, tested } = wayTo(filter)
  const { client_id, state, stock_id, contract_id, sku_code, date_from, date_to } = filter
  return {
    way,
    scan_max: tested.every((value) => value === undefined) ? page_size : ordersScannedMax,
    client: client_id ?? null,
    states: [...(state ?? stateIds)],
    stock_id: stock_id ?? null,
    contract_id: contract_id ?? null,
    sku_code: sku_code ?? null,
    date_from: date_from ?? null,
    date_to: date_to ?? null,
    after_id,
    page_size,
    bytes_max: bytesPerPageMax,
  }
}

/** The most selective index for the filters (by article, then by client), and the filters left to test on each order found. */
function wayTo({ client_id, state, stock_id, contract_id, sku_code }: OrderFilter): {
  way: string
  tested: readonly unknown[]
} {
  const ofClient = client_id !== undefined || contract_id !== undefined
  if (sku_code !== undefined) {
    return { way: ofClient ? 'client and article' : 'article', tested: [state, stock_id, contract_id] }
  }
  if (ofClient) return { way: state === undefined ? 'client' : 'client and state', tested: [stock_id, contract_id] }
  if (stock_id !== undefined) return { way: 'stock', tested: [] }
  return { way: state === undefined ? 'all' : 'state', tested: [] }
}
