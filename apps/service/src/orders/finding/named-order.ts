/** Operators know orders by number: wherever a path of theirs takes an id, it takes `number-` and the number too. */
import type { Database } from 'pg-statements/database.ts'
import { id, readText, type Field } from '../../input/fields.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, int8Array } from 'pg-statements/types.ts'

type OrderName = { readonly order_id: number } | { readonly order_number: number }

const prefix = 'number-'
const plainId = id('', exampleIds.order_id)

export const orderName: Field<OrderName> = {
  required: true,
  schema: {
    type: 'string',
    pattern: `^(${prefix})?[0-9]{1,16}$`,
    description: `The order: its id, or \`${prefix}\` and its number, as in \`${prefix}100234\`.`,
    examples: [String(exampleIds.order_id)],
  },
  rule: `the id of an order, or ${prefix} and its number: ${plainId.rule}`,
  read: (text) => {
    const isNumber = text.startsWith(prefix)
    const value = readText(plainId, isNumber ? text.slice(prefix.length) : text, 'path')
    if (value === undefined) return undefined
    return isNumber ? { order_number: value } : { order_id: value }
  },
}

/** The parameters of the path, with the id of the order that they name. An order keeps its id and its number for good. */
export async function withOrderId<P extends { readonly order_id: OrderName }>(
  db: Database,
  params: P,
): Promise<Omit<P, 'order_id'> & { order_id: number }> {
  const named = params.order_id
  if ('order_id' in named) return { ...params, order_id: named.order_id }
  const order_id = (await findOrderIds(db, [named.order_number])).get(named.order_number)
  if (order_id === undefined) throw new Refusal('order_not_found', { order_number: named.order_number })
  return { ...params, order_id }
}

/** The ids of the orders with these numbers. */
const findOrderIdsSql = shortStatement('find-order-ids', {
  sql: `select order_id, order_number from orders
    where order_number = any(:order_numbers)`,
  parameters: { order_numbers: int8Array },
  columns: { order_id: int8, order_number: int8 },
})

/** The id of each order by its number. A number that no order has is missing. */
export async function findOrderIds(db: Database, order_numbers: readonly number[]): Promise<Map<number, number>> {
  const found = await db.rows(findOrderIdsSql, { order_numbers: [...order_numbers] })
  return new Map(found.map(({ order_id, order_number }) => [order_number, order_id]))
}
