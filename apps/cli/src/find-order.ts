import { ConflictError, NotFoundError, type FullOrder } from '@parts-ordering/client/operator'
import type { Api } from './api.ts'
import { exitCodes, Problem, RefusedRequest } from './problem.ts'

/** Operators know orders by number; the paths of the API take an id, or a number that is marked as one. */
export async function findOrder(api: Api, order_number: number): Promise<FullOrder> {
  try {
    return await api.readClientOrder({ order_id: `number-${order_number}` })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    throw new Problem(exitCodes.refused, `There is no order with number ${order_number}.`)
  }
}

/** The message of a refusal contains the order's id; this adds the number that the operator used. */
export async function onOrder<T>(api: Api, order_number: number, act: (order: FullOrder) => Promise<T>): Promise<T> {
  const order = await findOrder(api, order_number)
  try {
    return await act(order)
  } catch (error) {
    throw error instanceof ConflictError
      ? new RefusedRequest(error, { about: `Order number ${order_number}: ` })
      : error
  }
}
