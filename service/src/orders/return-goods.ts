import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import { orderOfEarlierRequest } from './order-of-earlier-request.ts'
import type { StateLabels } from './order.ts'
import type { LineQuantity } from '../input/fields.ts'
import { operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, int8Array, text } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../refusals.ts'

const returnGoodsSql = statement(new URL('return-goods.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    order_item_ids: int8Array,
    quantities: int8Array,
    restock: bool,
    reason: text,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { ...operatorOrderColumns, return_id: int8, return_datetime: datetime },
  refusedBy: [operatorRetryRefusedBy],
})

const explainReturnSql = statement(new URL('explain-return.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: { order_item_id: int8, returnable: int4 },
})

interface ReturnRequest {
  readonly order_id: number
  readonly lines: readonly LineQuantity[]
  readonly reason: string
  readonly restock: boolean
  readonly actor: string
  readonly request_id: string
}

/** Records that shipped goods came back. Quantities and totals of the order stay: credit notes belong to the ERP. */
export function returnGoods(
  db: Database,
  request: ReturnRequest,
  labels: StateLabels,
  retry: Retry,
): Promise<OperatorOrder> {
  const { order_id, lines, restock, reason, actor, request_id } = request
  const values = {
    order_id,
    order_item_ids: lines.map(({ order_item_id }) => order_item_id),
    quantities: lines.map(({ quantity }) => quantity),
    restock,
    reason,
    actor,
    request_id,
    ...retry,
  }
  return settle(
    db,
    { statement: returnGoodsSql, contended: `order ${order_id}` },
    async () => {
      const returned = await db.row(returnGoodsSql, values)
      if (returned === undefined)
        return orderOfEarlierRequest(db, { actor, operation: returnGoodsSql.name }, retry, labels)
      const { return_id, return_datetime, returned_lines, ...order } = returned
      // A statement does not read what it inserts, so the new return is added here.
      const sorted = lines.toSorted((a, b) => a.order_item_id - b.order_item_id)
      const now = sorted.map((line) => ({ return_id, return_datetime, reason, restocked: restock, ...line }))
      return operatorOrderOf({ ...order, returned_lines: [...returned_lines, ...now] }, labels)
    },
    () => explain(db, request),
  )
}

async function explain(db: Database, { order_id, lines }: ReturnRequest): Promise<void> {
  const found = await db.rows(explainReturnSql, { order_id })
  if (found.length === 0) throw new Refusal('order_not_found', { order_id })
  const returnableOf = new Map(found.map(({ order_item_id, returnable }) => [order_item_id, returnable]))
  const refused = lines.flatMap(({ order_item_id, quantity }) => {
    const returnable = returnableOf.get(order_item_id)
    if (returnable === undefined) return [refusalError('order_item_not_found', { order_id, order_item_id })]
    return quantity > returnable
      ? [refusalError('quantity_not_returnable', { order_item_id, returnable, requested: quantity })]
      : []
  })
  if (refused.length > 0) throw new Refusal(refused)
}
