import { call, functionCall } from '../../functions/call.ts'
import type { Confirming, Expecting } from '../../input/expected.ts'
import { adjustmentColumns, operatorAdjustmentOf, type OperatorAdjustment } from '../adjustment.ts'
import { closeAdjustmentShape } from '../requests/withdraw-adjustment.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int4, int8, nullable, text } from 'pg-statements/types.ts'

const acceptAdjustmentSql = functionCall(new URL('accept_adjustment.sql', import.meta.url), {
  parameters: {
    adjustment_id: int8,
    quantity_factor: int4,
    expected: nullable(int4),
    confirmed: bool,
    actor: text,
    request_id: text,
  },
  answer: 'adjustment_answer(:adjustment_id, f.refused)',
  columns: adjustmentColumns,
})

const rejectAdjustmentSql = functionCall(new URL('../requests/close_adjustment.sql', import.meta.url), {
  ...closeAdjustmentShape,
  name: 'reject-adjustment',
})

interface Decision extends Expecting {
  readonly adjustment_id: number
  readonly actor: string
  readonly request_id: string
}

/**
 * Changes the line as the client requested, if stock and limit allow it now. Quantity 0 removes the line; an order without
 * lines is cancelled.
 */
export const acceptAdjustment = async (
  db: Database,
  { expected = null, confirmed = false, ...decision }: Decision & Confirming,
  quantity_factor: number,
): Promise<OperatorAdjustment> =>
  operatorAdjustmentOf(await call(db, acceptAdjustmentSql, { ...decision, quantity_factor, expected, confirmed }))

/** Leaves the line unchanged and stores the reason, which the client can read. */
export const rejectAdjustment = async (
  db: Database,
  { expected = null, ...decision }: Decision & { message: string },
): Promise<OperatorAdjustment> =>
  operatorAdjustmentOf(await call(db, rejectAdjustmentSql, { ...decision, expected, client: null, order_id: null }))
