/** An order as operators see it: what its client sees, and whose it is. */
import Type, { type Static } from 'typebox'
import { exampleOrder, Order, orderColumns, orderOwnColumns, ordersOf, type StateLabels } from './order.ts'
import type { Values } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

export const OperatorOrder = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client whose order it is.' }),
    client_name: Type.String({ description: 'What the client is called.' }),
    ...Order.properties,
  },
  {
    $id: 'OperatorOrder',
    additionalProperties: false,
    examples: [{ client_id: 12, client_name: 'Autohaus Lindner', ...exampleOrder }],
  },
)
export type OperatorOrder = Static<typeof OperatorOrder>

const clientColumns = { client_id: int8, client_name: text }

/** A row is an order with one entry of its history. */
export const operatorOrderColumns = { ...orderColumns, ...clientColumns }
export const operatorOrderOwnColumns = { ...orderOwnColumns, ...clientColumns }

/** Rows come in the order of the list, each order's history newest first. */
export function operatorOrdersOf(
  rows: readonly Values<typeof operatorOrderColumns>[],
  labels: StateLabels,
): OperatorOrder[] {
  const clients = new Map(rows.map(({ order_id, client_id, client_name }) => [order_id, { client_id, client_name }]))
  return ordersOf(rows, labels).map((order) => ({
    ...(clients.get(order.order_id) as { client_id: number; client_name: string }),
    ...order,
  }))
}
