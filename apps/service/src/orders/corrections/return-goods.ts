import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import type { LineQuantity } from '../../input/fields.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int8, int8Array, nullable, text } from 'pg-statements/types.ts'

const returnGoodsSql = functionCall(new URL('return_goods.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    order_item_ids: int8Array,
    quantities: int8Array,
    restock: bool,
    return_request_id: nullable(int8),
    expected: nullable(int8),
    reason: text,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

interface GoodsReturn extends Expecting {
  readonly order_id: number
  readonly lines: readonly LineQuantity[]
  readonly reason: string
  readonly restock: boolean
  /** The request whose goods these are. */
  readonly return_request_id?: number | null | undefined
  readonly actor: string
  readonly request_id: string
}

/** Records that shipped goods came back. Quantities and totals of the order stay: credit notes belong to the ERP. */
export async function returnGoods(
  db: Database,
  { lines, expected = null, return_request_id = null, ...request }: GoodsReturn,
  labels: StateLabels,
  retry: Retry,
): Promise<OperatorOrder> {
  const returned = await call(db, returnGoodsSql, {
    ...request,
    order_item_ids: lines.map(({ order_item_id }) => order_item_id),
    quantities: lines.map(({ quantity }) => quantity),
    expected,
    return_request_id,
    ...retry,
  })
  return operatorOrderOf(returned, labels)
}
