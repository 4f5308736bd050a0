import {
  operatorOrderColumns,
  operatorOrderOwnColumns,
  operatorOrdersOf,
  type OperatorOrder,
} from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { pageSizeStandard } from '../http/fields.ts'
import { cutPage, decodeCursor, type Page } from '../http/paging.ts'
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { date, int8, nullable, text } from '../postgres/types.ts'
import { Refusal } from '../refusals.ts'

const listOperatorOrdersSql = statement(new URL('list-operator-orders.sql', import.meta.url), {
  parameters: {
    client: nullable(int8),
    state: nullable(text),
    date_from: nullable(date),
    date_to: nullable(date),
    after_id: nullable(int8),
    page_size: int8,
  },
  columns: operatorOrderColumns,
  shared: operatorOrderOwnColumns,
})

const findOperatorOrderSql = statement(new URL('find-operator-order.sql', import.meta.url), {
  parameters: { order_id: nullable(int8), order_number: nullable(int8) },
  columns: operatorOrderColumns,
  shared: operatorOrderOwnColumns,
})

export async function readOperatorOrder(db: Database, order_id: number, labels: StateLabels): Promise<OperatorOrder> {
  const [order] = operatorOrdersOf(await db.rows(findOperatorOrderSql, { order_id, order_number: null }), labels)
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  return order
}

interface OrderFilter {
  readonly client_id?: number | undefined
  readonly order_number?: number | undefined
  readonly state?: string | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** All clients' orders, newest first. An order number names one order, and the other filters then do not matter. */
export async function listOperatorOrders(
  db: Database,
  filter: OrderFilter,
  labels: StateLabels,
): Promise<Page<OperatorOrder>> {
  const { client_id, order_number, state, date_from, date_to, limit = pageSizeStandard } = filter
  if (order_number !== undefined) {
    const rows = await db.rows(findOperatorOrderSql, { order_id: null, order_number })
    return { data: operatorOrdersOf(rows, labels), next_cursor: null }
  }
  const filters = [client_id, state, date_from, date_to]
  const rows = await db.rows(listOperatorOrdersSql, {
    client: client_id ?? null,
    state: state ?? null,
    date_from: date_from ?? null,
    date_to: date_to ?? null,
    after_id: decodeCursor(filter.cursor, filters),
    page_size: limit + 1,
  })
  return cutPage(operatorOrdersOf(rows, labels), limit, ({ order_id }) => order_id, filters)
}
