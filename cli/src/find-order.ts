import type { OperatorOrder } from '../../service/src/orders/operator-order.ts'
import { exitCodes, Problem, RefusedByService } from './problem.ts'
import type { Service } from './service.ts'

/** People know orders by their numbers, the service's paths by their ids. */
export async function findOrder(service: Service, order_number: number): Promise<OperatorOrder> {
  const [order] = await service.ask<OperatorOrder[]>('GET', '/operator/v1/orders/', { query: { order_number } })
  if (order === undefined) throw new Problem(exitCodes.refused, `There is no order with the number ${order_number}.`)
  return order
}

/** A refusal names the order by its id; whoever has asked by number is told which one that is. */
export async function underItsNumber<T>(order_number: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedByService && error.status === 409)
      error.message = `Order number ${order_number}: ${error.message}`
    throw error
  }
}
