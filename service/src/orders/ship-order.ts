import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import { orderOfEarlierRequest } from './order-of-earlier-request.ts'
import { shipmentFields } from './order-fields.ts'
import type { StateLabels } from './order.ts'
import { movableFrom, movesFrom, orderStateOf, type OrderState } from './order-states.ts'
import type { Remark } from './remark.ts'
import type { LineQuantity } from '../input/fields.ts'
import { operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import { noRetry, type Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int4, int8, int8Array, nullable, text, textArray, uuid } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../refusals.ts'

const shipOrderSql = statement(new URL('ship-order.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    from_states: textArray,
    /** Null means everything that is open. */
    order_item_ids: nullable(int8Array),
    quantities: nullable(int8Array),
    carrier: text,
    tracking: text,
    /** An order in this state is returned unchanged. */
    unchanged_state: nullable(text),
    text,
    move_id: nullable(uuid),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { ...operatorOrderColumns, shipped_now: packedRows(shipmentFields) },
  refusedBy: ['stock_levels_on_hand', operatorRetryRefusedBy],
})

const explainShipmentSql = statement(new URL('explain-shipment.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: {
    order_state_id: text,
    virtual: bool,
    hold_reason: nullable(text),
    stock_id: int8,
    order_item_id: int8,
    item_id: int8,
    open: int4,
    on_hand: int8,
  },
})

export interface ShipmentRequest extends Remark {
  readonly order_id: number
  /** If absent, everything that is open is shipped. */
  readonly lines?: readonly LineQuantity[] | undefined
  readonly carrier?: string | undefined
  readonly tracking?: string | undefined
}

const fromStates = movableFrom('shipped')

/** Records a shipment: its goods leave the stock. The order becomes `shipped` with the last piece. */
export const shipOrder = (
  db: Database,
  request: ShipmentRequest,
  labels: StateLabels,
  retry: Retry,
): Promise<OperatorOrder> => ship(db, request, labels, { move_id: null, unchanged_state: null, ...retry })

/** Ships everything that is open; a shipped order stays unchanged. `move_id` is stored with the history entry. */
export const shipOpen = (
  db: Database,
  request: Remark & { order_id: number },
  labels: StateLabels,
  move_id: string | null,
): Promise<OperatorOrder> => ship(db, request, labels, { move_id, unchanged_state: 'shipped', ...noRetry })

function ship(
  db: Database,
  request: ShipmentRequest,
  labels: StateLabels,
  move: Retry & { move_id: string | null; unchanged_state: OrderState | null },
): Promise<OperatorOrder> {
  const { order_id, lines, carrier = '', tracking = '', ...remark } = request
  const values = {
    ...remark,
    order_id,
    from_states: fromStates,
    order_item_ids: lines?.map(({ order_item_id }) => order_item_id) ?? null,
    quantities: lines?.map(({ quantity }) => quantity) ?? null,
    carrier,
    tracking,
    ...move,
  }
  return settle(
    db,
    { statement: shipOrderSql, contended: `order ${order_id}` },
    async () => {
      const shipped = await db.row(shipOrderSql, values)
      if (shipped === undefined) {
        const { actor } = remark
        return orderOfEarlierRequest(db, { actor, operation: shipOrderSql.name }, move, labels)
      }
      const { shipped_lines, shipped_now, ...order } = shipped
      return operatorOrderOf({ ...order, shipped_lines: [...shipped_lines, ...shipped_now] }, labels)
    },
    () => explain(db, request),
  )
}

type OpenLine = Values<typeof explainShipmentSql.columns>

async function explain(db: Database, { order_id, lines }: ShipmentRequest): Promise<void> {
  const open = await db.rows(explainShipmentSql, { order_id })
  const [order] = open
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  const state = orderStateOf(order.order_state_id)
  if (!fromStates.includes(state)) {
    const possible = movesFrom(state)
    throw new Refusal('order_move_refused', { order_id, order_state_id: state, state_id: 'shipped', possible })
  }
  if (order.hold_reason !== null) throw new Refusal('order_held', { order_id, hold_reason: order.hold_reason })
  if (order.virtual) throw new Refusal('order_is_virtual', { order_id })
  const refused = lines === undefined ? [] : notOpen(order_id, lines, open)
  const problems = refused.length > 0 ? refused : missing(lines, open)
  if (problems.length > 0) throw new Refusal(problems)
}

function notOpen(order_id: number, lines: readonly LineQuantity[], found: readonly OpenLine[]) {
  const openOf = new Map(found.map(({ order_item_id, open }) => [order_item_id, open]))
  return lines.flatMap(({ order_item_id, quantity }) => {
    const open = openOf.get(order_item_id)
    if (open === undefined) return [refusalError('order_item_not_found', { order_id, order_item_id })]
    return quantity > open ? [refusalError('quantity_not_open', { order_item_id, open, requested: quantity })] : []
  })
}

function missing(lines: readonly LineQuantity[] | undefined, found: readonly OpenLine[]) {
  const requested = lines && new Map(lines.map(({ order_item_id, quantity }) => [order_item_id, quantity]))
  return found.flatMap(({ order_item_id, item_id, stock_id, on_hand, open }) => {
    const needed = requested ? (requested.get(order_item_id) ?? 0) : open
    return needed > on_hand ? [refusalError('goods_missing', { item_id, stock_id, on_hand, needed })] : []
  })
}
