import {
  adjustmentColumns,
  adjustmentOf,
  fullAdjustmentOf,
  type Adjustment,
  type AdjustmentInclude,
  type AdjustmentRow,
} from '../adjustment.ts'
import { refuseUnknownOrder } from './refuse-unknown-order.ts'
import type { Actor } from '../../identity/actor.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const listAdjustmentsSql = statement(new URL('list-adjustments.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8, after_id: nullable(int8), page_size: int8 },
  columns: { ...adjustmentColumns, adjustment_id: nullable(int8) },
})

const readAdjustmentSql = shortStatement('read-adjustment', {
  sql: `select -- columns a
    from shown_adjustments a
    where a.client_id = :client_id and a.order_id = :order_id and a.adjustment_id = :adjustment_id`,
  parameters: { client_id: int8, order_id: int8, adjustment_id: int8 },
  columns: adjustmentColumns,
})

interface Included {
  readonly include?: readonly AdjustmentInclude[] | undefined
}

/** The adjustments of an order with their outcomes, newest first. */
export async function listAdjustments(
  db: Database,
  { client_id }: Actor,
  { order_id, include }: { order_id: number } & Included,
  page: PageRequest,
): Promise<Page<Adjustment>> {
  const rows = await db.rows(listAdjustmentsSql, {
    client_id,
    order_id,
    after_id: idAfter(page),
    page_size: page.limit + 1,
  })
  if (rows.length === 0) throw new Refusal('order_not_found', { order_id })
  const adjustments = rows.flatMap(({ adjustment_id, ...row }) =>
    adjustment_id === null ? [] : [shownAdjustment({ ...row, adjustment_id }, include)],
  )
  return cutPage(adjustments, page, ({ adjustment_id }) => adjustment_id)
}

export async function readAdjustment(
  db: Database,
  actor: Actor,
  { order_id, adjustment_id, include }: { order_id: number; adjustment_id: number } & Included,
): Promise<Adjustment> {
  const row = await db.row(readAdjustmentSql, { client_id: actor.client_id, order_id, adjustment_id })
  if (row !== undefined) return shownAdjustment(row, include)
  await refuseUnknownOrder(db, actor, order_id)
  throw new Refusal('adjustment_not_found', { order_id, adjustment_id })
}

const shownAdjustment = (row: AdjustmentRow, include: Included['include'] = []): Adjustment =>
  include.includes('request') ? fullAdjustmentOf(row) : adjustmentOf(row)
