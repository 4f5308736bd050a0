import { actorName } from '../../identity/actor.ts'
import { call, functionCall } from '../../functions/call.ts'
import { adjustmentColumns, adjustmentOf, withdrawnMessage, type Adjustment } from '../adjustment.ts'
import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { int4, int8, nullable, text } from 'pg-statements/types.ts'

export const closeAdjustmentShape = {
  parameters: {
    client: nullable(int8),
    order_id: nullable(int8),
    adjustment_id: int8,
    message: text,
    expected: nullable(int4),
    actor: text,
    request_id: text,
  },
  answer: 'adjustment_answer(:adjustment_id, f.refused)',
  columns: adjustmentColumns,
}

const withdrawAdjustmentSql = functionCall(new URL('close_adjustment.sql', import.meta.url), {
  ...closeAdjustmentShape,
  name: 'withdraw-adjustment',
})

/** Withdraws a request that has not been decided. Withdrawing it again returns the same. */
export async function withdrawAdjustment(
  db: Database,
  actor: Actor,
  request: { order_id: number; adjustment_id: number; request_id: string },
): Promise<Adjustment> {
  const row = await call(db, withdrawAdjustmentSql, {
    ...request,
    client: actor.client_id,
    message: withdrawnMessage,
    expected: null,
    actor: actorName(actor),
  })
  return adjustmentOf(row)
}
