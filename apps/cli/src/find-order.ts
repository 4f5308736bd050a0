import type { FullOrder } from '../../service/src/orders/operator-order.ts'
import { exitCodes, Problem, RefusedByService } from './problem.ts'
import type { Service } from './service.ts'

/** Operators know orders by number; the paths of the API contain ids. */
export async function findOrder(service: Service, order_number: number): Promise<FullOrder> {
  try {
    return await service.call<FullOrder>('GET', `/operator/v1/orders/number-${order_number}/`)
  } catch (error) {
    if (!(error instanceof RefusedByService && error.status === 404)) throw error
    throw new Problem(exitCodes.refused, `There is no order with number ${order_number}.`)
  }
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
