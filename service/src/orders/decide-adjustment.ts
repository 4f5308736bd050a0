import { adjustmentColumns, operatorAdjustmentOf, type OperatorAdjustment } from './adjustment.ts'
import { numericOverflow, totalMax } from '../clients/amounts.ts'
import { adjustable } from './order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, numeric, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const acceptAdjustmentSql = statement(new URL('accept-adjustment.sql', import.meta.url), {
  parameters: {
    adjustment_id: int8,
    adjustable: textArray,
    quantity_factor: int4,
    expected: nullable(int4),
    actor: text,
    request_id: text,
  },
  columns: adjustmentColumns,
  refusedBy: ['out_of_stock', 'contract_limit_exceeded', numericOverflow],
})

const rejectAdjustmentSql = statement(new URL('reject-adjustment.sql', import.meta.url), {
  parameters: { adjustment_id: int8, message: text, actor: text, request_id: text },
  columns: adjustmentColumns,
})

const explainDecisionSql = statement(new URL('explain-decision.sql', import.meta.url), {
  parameters: { adjustment_id: int8, total_max: numeric },
  columns: {
    adjustment_status: text,
    adjustment_canceled_message: nullable(text),
    quantity: int4,
    difference: int4,
    stock_id: int8,
    item_id: int8,
    unlimited: bool,
    available: int8,
    contract_id: int8,
    contract_limit: numeric,
    exposure: numeric,
    total_difference: numeric,
    over_limit: bool,
    too_large: bool,
  },
})

interface Decision {
  readonly adjustment_id: number
  readonly actor: string
  readonly request_id: string
}

/**
 * Changes the line as the client requested, if stock and limit allow it now. Quantity 0 removes the line; an order without
 * lines is cancelled.
 */
export async function acceptAdjustment(
  db: Database,
  { expected = null, ...decision }: Decision & { expected?: number | null | undefined },
  quantity_factor: number,
): Promise<OperatorAdjustment> {
  const row = await settle(
    db,
    { statement: acceptAdjustmentSql, contended: `adjustment ${decision.adjustment_id}` },
    () => db.row(acceptAdjustmentSql, { ...decision, adjustable, quantity_factor, expected }),
    () => explain(db, decision.adjustment_id, { expected, quantity_factor }),
  )
  return operatorAdjustmentOf(row)
}

/** Leaves the line unchanged and stores the reason, which the client can read. */
export async function rejectAdjustment(
  db: Database,
  decision: Decision & { message: string },
): Promise<OperatorAdjustment> {
  const row = await settle(
    db,
    { statement: rejectAdjustmentSql, contended: `adjustment ${decision.adjustment_id}` },
    () => db.row(rejectAdjustmentSql, decision),
    () => explain(db, decision.adjustment_id),
  )
  return operatorAdjustmentOf(row)
}

async function explain(
  db: Database,
  adjustment_id: number,
  accepting?: { expected: number | null; quantity_factor: number },
): Promise<void> {
  const found = await db.row(explainDecisionSql, { adjustment_id, total_max: totalMax })
  if (found === undefined) throw new Refusal('adjustment_not_found', { adjustment_id })
  const { adjustment_status, adjustment_canceled_message, stock_id, item_id, contract_id } = found
  if (adjustment_status !== 'WAIT')
    throw new Refusal('adjustment_decided', { adjustment_id, adjustment_status, adjustment_canceled_message })
  if (accepting === undefined) return
  const { difference, available, contract_limit: limit, exposure: used, total_difference: requested } = found
  if (!found.unlimited && difference > available)
    throw new Refusal('out_of_stock', { item_id, stock_id, available, requested: difference })
  if (found.over_limit) throw new Refusal('contract_limit_exceeded', { contract_id, limit, used, requested })
  if (found.too_large) throw new Refusal('order_total_too_large', { total_max: totalMax })
  const { expected, quantity_factor } = accepting
  const { quantity: before } = found
  const after = before + difference
  if (quantity_factor > 0 && after > before * quantity_factor && expected !== before)
    throw new Refusal('confirmation_required', { change: 'quantity', before, after })
}
