import { actorName } from '../access/actor.ts'
import { adjustmentColumns, adjustmentOf, withdrawnMessage, type Adjustment } from './adjustment.ts'
import { readAdjustment } from './read-adjustments.ts'
import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const withdrawAdjustmentSql = statement(new URL('withdraw-adjustment.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    order_id: int8,
    adjustment_id: int8,
    message: text,
    actor: text,
    request_id: text,
  },
  columns: adjustmentColumns,
})

/** Withdraws a request that has not been decided. Withdrawing it again returns the same. */
export async function withdrawAdjustment(
  db: Database,
  actor: Actor,
  { order_id, adjustment_id, request_id }: { order_id: number; adjustment_id: number; request_id: string },
): Promise<Adjustment> {
  const values = {
    client_id: actor.client_id,
    order_id,
    adjustment_id,
    message: withdrawnMessage,
    actor: actorName(actor),
    request_id,
  }
  const row = await settle(
    db,
    { statement: withdrawAdjustmentSql, contended: `order ${order_id}` },
    () => db.row(withdrawAdjustmentSql, values),
    async () => {
      const found = await readAdjustment(db, actor, { order_id, adjustment_id })
      const { adjustment_status, adjustment_canceled_message } = found
      if (adjustment_status !== 'WAIT' && adjustment_canceled_message !== withdrawnMessage)
        throw new Refusal('adjustment_decided', { adjustment_id, adjustment_status, adjustment_canceled_message })
    },
  )
  return adjustmentOf(row)
}
