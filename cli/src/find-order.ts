import type { OperatorOrder } from '../../service/src/orders/operator-order.ts'
import { exitCodes, Problem, RefusedByService } from './problem.ts'
import type { Service } from './service.ts'

/** Operators know orders by number; the paths of the API contain ids. */
export async function findOrder(service: Service, order_number: number): Promise<OperatorOrder> {
  const [order] = await service.call<OperatorOrder[]>('GET', '/operator/v1/orders/', { query: { order_number } })
  if (order === undefined) throw new Problem(exitCodes.refused, `There is no order with number ${order_number}.`)
  return order
}

/** The message of a refusal contains the order's id; this adds the number that the operator used. */
export async function withOrderNumber<T>(order_number: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedByService && error.status === 409)
      error.message = `Order number ${order_number}: ${error.message}`
    throw error
  }
}
