/** An order as operators see it: the client's view of it, and the client. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { exampleOrder, Order, orderColumns, orderOwnColumns, ordersOf, type StateLabels } from './order.ts'
import type { Values } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'

export const OperatorOrder = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client that placed the order.' }),
    client_name: Type.String({ description: 'The name of the client.' }),
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

/** Expects the rows of an order next to each other, its history newest first. */
export function operatorOrdersOf(
  rows: readonly Values<typeof operatorOrderColumns>[],
  labels: StateLabels,
): OperatorOrder[] {
  const clients = new Map(rows.map(({ order_id, client_id, client_name }) => [order_id, { client_id, client_name }]))
  return ordersOf(rows, labels).map((order) => {
    const client = clients.get(order.order_id)
    assert(client) // The map has the same rows.
    return { ...client, ...order }
  })
}
