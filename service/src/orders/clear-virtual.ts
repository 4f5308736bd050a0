import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { orderStateOf, reservable } from './order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, text, textArray } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../refusals.ts'

const clearVirtualSql = statement(new URL('clear-virtual.sql', import.meta.url), {
  parameters: { order_id: int8, reservable: textArray, actor: text, request_id: text },
  columns: operatorOrderColumns,
  refusedBy: ['out_of_stock', 'every_line_reserved'],
})

const explainVirtualSql = statement(new URL('explain-virtual.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: {
    order_state_id: text,
    virtual: bool,
    stock_id: int8,
    item_id: int8,
    requested: int4,
    available: int8,
    lacking: bool,
  },
})

/** Turns a virtual order into a normal one: its goods are reserved, and it can be shipped. */
export function clearVirtual(
  db: Database,
  request: { order_id: number; actor: string; request_id: string },
  labels: StateLabels,
): Promise<OperatorOrder> {
  return settle(
    db,
    { statement: clearVirtualSql, contended: `order ${request.order_id}` },
    async () => {
      const cleared = await db.row(clearVirtualSql, { ...request, reservable })
      return cleared && operatorOrderOf(cleared, labels)
    },
    () => explain(db, request.order_id),
  )
}

async function explain(db: Database, order_id: number): Promise<void> {
  const lines = await db.rows(explainVirtualSql, { order_id })
  const [order] = lines
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  const { order_state_id } = order
  if (!order.virtual) return
  if (!reservable.includes(orderStateOf(order_state_id)))
    throw new Refusal('virtual_not_clearable', { order_id, order_state_id })
  const lacking = lines
    .filter((line) => line.lacking)
    .map(({ item_id, stock_id, available, requested }) =>
      refusalError('out_of_stock', { item_id, stock_id, available, requested }),
    )
  if (lacking.length > 0) throw new Refusal(lacking)
}
