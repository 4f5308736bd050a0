import { orderColumns, orderOwnColumns, ordersOf, type Order, type StateLabels } from './order.ts'
import type { Actor } from '../access/actor.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { date, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const readOrderSql = statement(new URL('read-order.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8 },
  columns: orderColumns,
  shared: orderOwnColumns,
})

const listOrdersSql = statement(new URL('list-orders.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    state: nullable(text),
    date_from: nullable(date),
    date_to: nullable(date),
    sku_code: nullable(text),
    after_id: nullable(int8),
    page_size: int8,
  },
  columns: orderColumns,
  shared: orderOwnColumns,
})

export async function readOrder(
  db: Database,
  { client_id }: Actor,
  order_id: number,
  labels: StateLabels,
): Promise<Order> {
  const [order] = ordersOf(await db.rows(readOrderSql, { client_id, order_id }), labels)
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  return order
}

interface OrderFilter {
  readonly state?: string | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
  readonly sku_code?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Orders newest first, by creation and id. */
export async function listOrders(
  db: Database,
  { client_id }: Actor,
  filter: OrderFilter,
  labels: StateLabels,
): Promise<Page<Order>> {
  const { state, date_from, date_to, sku_code, limit = pageSizeDefault } = filter
  const filters = [state, date_from, date_to, sku_code]
  const rows = await db.rows(listOrdersSql, {
    client_id,
    state: state ?? null,
    date_from: date_from ?? null,
    date_to: date_to ?? null,
    sku_code: sku_code ?? null,
    after_id: decodeCursor(filter.cursor, filters),
    page_size: limit + 1,
  })
  return cutPage(ordersOf(rows, labels), limit, ({ order_id }) => order_id, filters)
}
