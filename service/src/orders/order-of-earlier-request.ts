import type { OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { readOperatorOrder } from './read-operator-orders.ts'
import { earlierOperatorAnswer } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'

/** For the descriptions of routes. */
export const orderAsItIs =
  ' With an Idempotency-Key, a repeated request changes nothing and returns the order as it is then.'

/** The order as it is now, if the operator has sent the request before. */
export async function orderOfEarlierRequest(
  db: Database,
  scope: { actor: string; operation: string },
  retry: Retry,
  labels: StateLabels,
): Promise<OperatorOrder | undefined> {
  const earlier = await earlierOperatorAnswer<{ order_id: number }>(db, scope, retry)
  return earlier && readOperatorOrder(db, earlier.order_id, labels)
}
