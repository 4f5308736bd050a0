import { call, functionCall } from '../../functions/call.ts'
import type { Expecting } from '../../input/expected.ts'
import type { LineChange } from './line-change.ts'
import { adjustable, reducible } from '../../vocabulary/order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int4, int8, nullable, plainJsonOf, text, textArray } from 'pg-statements/types.ts'

const changeLineSql = functionCall(new URL('change_line.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    order_item_id: int8,
    quantity: int4,
    reason: text,
    raisable: textArray,
    reducible: textArray,
    dry_run: bool,
    expected: nullable(int4),
    actor: text,
    request_id: text,
  },
  columns: { answer: plainJsonOf<LineChange>() },
})

interface LineRequest extends Expecting {
  readonly order_id: number
  readonly order_item_id: number
  readonly quantity: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

/**
 * Reduces, removes or raises a line; the client reads the reason in the history. Raising needs stock and limit, as an
 * accepted adjustment does. An order without lines is cancelled, and one of which nothing is left to ship is shipped;
 * neither happens to an order on hold.
 */
export const changeLine = (db: Database, request: LineRequest): Promise<LineChange> => change(db, request, false)

/** The effect that the change would have now. Throws if the line cannot be changed like this. */
export const previewLine = (db: Database, request: LineRequest): Promise<LineChange> => change(db, request, true)

const change = async (
  db: Database,
  { expected = null, ...request }: LineRequest,
  dry_run: boolean,
): Promise<LineChange> =>
  (await call(db, changeLineSql, { ...request, expected, raisable: adjustable, reducible, dry_run })).answer
