import { adjustmentColumns, adjustmentOf, type Adjustment } from './adjustment.ts'
import { stateOfOrder } from './state-of-order.ts'
import type { Actor } from '../access/actor.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const listAdjustmentsSql = statement(new URL('list-adjustments.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8, after_id: nullable(int8), page_size: int8 },
  columns: { ...adjustmentColumns, adjustment_id: nullable(int8) },
})

const readAdjustmentSql = statement(new URL('read-adjustment.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8, adjustment_id: int8 },
  columns: adjustmentColumns,
})

/** The adjustments of an order with their outcomes, newest first. */
export async function listAdjustments(
  db: Database,
  { client_id }: Actor,
  {
    order_id,
    limit = pageSizeDefault,
    cursor,
  }: { order_id: number; limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<Adjustment>> {
  const filters = [order_id]
  const rows = await db.rows(listAdjustmentsSql, {
    client_id,
    order_id,
    after_id: decodeCursor(cursor, filters),
    page_size: limit + 1,
  })
  if (rows.length === 0) throw new Refusal('order_not_found', { order_id })
  const adjustments = rows.flatMap(({ adjustment_id, ...row }) =>
    adjustment_id === null ? [] : [adjustmentOf({ ...row, adjustment_id })],
  )
  return cutPage(adjustments, limit, ({ adjustment_id }) => adjustment_id, filters)
}

export async function readAdjustment(
  db: Database,
  actor: Actor,
  { order_id, adjustment_id }: { order_id: number; adjustment_id: number },
): Promise<Adjustment> {
  const row = await db.row(readAdjustmentSql, { client_id: actor.client_id, order_id, adjustment_id })
  if (row !== undefined) return adjustmentOf(row)
  await stateOfOrder(db, actor, order_id)
  throw new Refusal('adjustment_not_found', { order_id, adjustment_id })
}
