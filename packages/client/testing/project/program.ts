/** Compiled against the installed package, by `package.test.ts`. */
import { ConflictError, createClient, type Order } from '@parts-ordering/client'
import { createOperatorClient } from '@parts-ordering/client/operator'
import { verifyWebhook } from '@parts-ordering/client/webhooks'

const client = createClient({ url: 'http://127.0.0.1', key: 'key' })

export async function newOrders(): Promise<Order[]> {
  const orders: Order[] = []
  for await (const order of client.orders.list({ state: 'new' })) orders.push(order)
  return orders
}

export async function cancel(order_id: number): Promise<string> {
  try {
    return (await client.cancelOrder({ order_id })).order_state_id
  } catch (error) {
    if (error instanceof ConflictError && error.code === 'order_not_cancellable') return error.details.order_state_id
    throw error
  }
}

export const move = (order_id: number) =>
  createOperatorClient({ url: 'http://127.0.0.1', key: 'key' }).moveOrder({ order_id, state_id: 'processing' })

export async function eventNumber(request: Request): Promise<number> {
  const message = await verifyWebhook(request, 'whsec_')
  return message.type === 'webhook.test' ? 0 : message.data.event_number
}
