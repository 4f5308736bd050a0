import { linesPerCartMax } from '../../carts/cart.ts'
import { matchesMax } from '../../catalogue/list-items.ts'
import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import type { LineChange } from './line-change.ts'
import { adjustable } from '../../vocabulary/order-states.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int4, int8, nullable, numeric, plainJsonOf, text, textArray } from 'pg-statements/types.ts'

const addLineSql = functionCall(new URL('add_line.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    item_id: nullable(int8),
    article: nullable(text),
    quantity: int4,
    reason: text,
    raisable: textArray,
    lines_max: int8,
    matches_max: int8,
    dry_run: bool,
    expected: nullable(numeric),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { answer: plainJsonOf<LineChange>() },
})

interface AddedLine extends Expecting {
  readonly order_id: number
  readonly item_id: number | undefined
  readonly article: string | undefined
  readonly quantity: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

/** Adds a line at the price that the contract has now; the order's own terms apply to it. */
export const addLine = (db: Database, request: AddedLine): Promise<LineChange> => add(db, request, false)

/** The effect that adding the line would have now. Throws if it cannot be added. */
export const previewAddedLine = (db: Database, request: AddedLine): Promise<LineChange> => add(db, request, true)

async function add(
  db: Database,
  { item_id, article, expected = null, retry, ...request }: AddedLine,
  dry_run: boolean,
): Promise<LineChange> {
  const { answer } = await call(db, addLineSql, {
    ...request,
    item_id: item_id ?? null,
    article: article ?? null,
    raisable: adjustable,
    lines_max: linesPerCartMax,
    matches_max: matchesMax,
    dry_run,
    expected,
    ...retry,
  })
  return { ...answer, dry_run }
}
