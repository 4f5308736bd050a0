/** Operators know orders by number: wherever a path takes an id, it takes `number-` and the number too. */
import { findOrderIds } from './order-numbers.ts'
import type { Database } from 'pg-statements/database.ts'
import type { Route } from '../../http/routing/route.ts'
import { id, readText, type Field } from '../../input/fields.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

/** The same route, whose path names the order by its id or by its number. An order keeps both for good. */
export function namedByNumber(route: Route): Route {
  if (route.params?.['order_id'] === undefined) return route
  return {
    ...route,
    params: { ...route.params, order_id: idOrNumber },
    handle: async (request) => {
      const named = request.params['order_id'] as OrderName // As the field reads it.
      const order_id = 'order_id' in named ? named.order_id : await orderIdOf(request.db, named.order_number)
      return route.handle({ ...request, params: { ...request.params, order_id } })
    },
  }
}

type OrderName = { readonly order_id: number } | { readonly order_number: number }

const prefix = 'number-'
const plainId = id('', exampleIds.order_id)

const idOrNumber: Field<OrderName> = {
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

async function orderIdOf(db: Database, order_number: number): Promise<number> {
  const order_id = (await findOrderIds(db, [order_number])).get(order_number)
  if (order_id === undefined) throw new Refusal('order_not_found', { order_number })
  return order_id
}
