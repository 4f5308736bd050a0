/** A dealer's software: fills a cart, orders it, reads the order, and sometimes requests its cancellation. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { address, type TestClient } from '../../apps/service/src/testing/fixtures.ts'
import type { History, Line, WantedOrder } from './history.ts'
import type { DealerAnswer, DealerRequests } from './requests.ts'
import { scarceItem } from './installation.ts'

export interface DealerOptions {
  readonly client: TestClient
  readonly requests: DealerRequests
  readonly history: History
  /** Between 0 and 1, as Math.random. */
  readonly random: () => number
  readonly isStopped: () => boolean
  readonly pauseMs: number
}

interface Cart {
  readonly cart_id: number
}

interface CartGroup {
  readonly cart_group_key: string
  readonly cart_items: readonly { readonly cart_item_id: number }[]
}

const scarcePart = 0.1
const limitedPart = 0.15
const cancelledPart = 0.15
const newCartPart = 0.1 // Of refused orders.

export async function runDealer(options: DealerOptions): Promise<void> {
  const { random, isStopped, pauseMs } = options
  let cart: Cart | undefined
  while (!isStopped()) {
    cart ??= await createCart(options)
    if (cart !== undefined) {
      const placed = await orderOnce(options, cart)
      if (placed === 'refused' && random() < newCartPart) cart = undefined
      else if (placed === 'refused') await emptyCart(options, cart)
      else if (placed !== undefined) await readAndCancel(options, placed)
    }
    await sleep(pauseMs * (0.5 + random()))
  }
}

async function createCart({ client, requests, history }: DealerOptions): Promise<Cart | undefined> {
  const name = `Cart ${randomUUID()}`
  const wanted: History['carts'][number] = { client_id: client.client_id, name }
  history.carts.push(wanted)
  const answer = await requests.untilDefinite({
    operation: 'cart',
    method: 'PUT',
    path: '/api/v1/carts/',
    key: client.key,
    form: { name },
    idempotencyKey: randomUUID(),
  })
  if (answer?.status !== 200) return undefined
  const { cart_id } = answer.data as Cart
  wanted.acknowledged = { cart_id }
  return { cart_id }
}

/** The lines of a refused order stay in the cart. A client may have 1,000 carts, too few for a new one each time. */
async function emptyCart(options: DealerOptions, cart: Cart): Promise<void> {
  const { client, requests } = options
  for (const { cart_item_id } of (await listGroups(options, cart))?.flatMap(({ cart_items }) => cart_items) ?? [])
    await requests.untilDefinite({
      operation: 'line',
      method: 'DELETE',
      path: `/api/v1/carts/${cart.cart_id}/items/${cart_item_id}/`,
      key: client.key,
    })
}

/** Undefined when the run ended in between. */
async function listGroups({ client, requests }: DealerOptions, { cart_id }: Cart): Promise<CartGroup[] | undefined> {
  const path = `/api/v1/carts/${cart_id}/items/`
  const listed = await requests.untilDefinite({ operation: 'list', method: 'GET', path, key: client.key })
  return listed?.data as CartGroup[] | undefined
}

/** Returns the order's id, or 'refused'; undefined when the run ended in between. */
async function orderOnce(options: DealerOptions, { cart_id }: Cart): Promise<number | 'refused' | undefined> {
  const { client, requests, history, random } = options
  const contract_id = random() < limitedPart ? client.limited_contract_id : client.contract_id
  const lines = chooseLines(random)
  for (const { item_id, quantity } of lines) {
    const answer = await requests.untilDefinite({
      operation: 'line',
      method: 'PUT',
      path: `/api/v1/carts/${cart_id}/items/`,
      key: client.key,
      form: { item_id, quantity, stock_id: 1, contract_id },
      idempotencyKey: randomUUID(),
    })
    if (answer === undefined) return undefined
    if (answer.status !== 200) return 'refused'
  }
  const [group] = (await listGroups(options, { cart_id })) ?? []
  if (group === undefined) return undefined
  const order: WantedOrder = { client_id: client.client_id, reference: randomUUID(), lines, sendings: [] }
  history.orders.push(order)
  const answer = await requests.untilDefinite(
    {
      operation: 'order',
      method: 'PUT',
      path: '/api/v1/orders/',
      key: client.key,
      form: { cart_group_key: group.cart_group_key, ...address, reference: order.reference },
    },
    order.sendings,
  )
  return answer && record(order, answer)
}

function record(order: WantedOrder, answer: DealerAnswer): number | 'refused' {
  if (answer.status !== 200) {
    order.refused = answer.code ?? String(answer.status)
    return 'refused'
  }
  const { created_order_id: order_id } = answer.data as { created_order_id: number }
  order.acknowledged = { order_id, at: performance.now() }
  return order_id
}

const commonItems = [1, 2]

function chooseLines(random: () => number): Line[] {
  if (random() < scarcePart) return [{ item_id: scarceItem, quantity: 1 + Math.floor(random() * 2) }]
  return commonItems
    .slice(0, 1 + Math.floor(random() * commonItems.length))
    .map((item_id) => ({ item_id, quantity: 1 + Math.floor(random() * 3) }))
}

async function readAndCancel({ client, requests, history, random }: DealerOptions, order_id: number): Promise<void> {
  const { client_id, key } = client
  const path = `/api/v1/orders/${order_id}/`
  const read = async (): Promise<void> => {
    const answer = await requests.untilDefinite({ operation: 'read', method: 'GET', path, key })
    if (answer === undefined || (answer.status !== 200 && answer.status !== 404)) return
    const state = answer.status === 404 ? null : (answer.data as { order_state_id: string }).order_state_id
    history.reads.push({ client_id, order_id, sentAt: answer.sentAt, state })
  }
  await read()
  if (random() >= cancelledPart) return
  const cancellation: History['cancellations'][number] = { client_id, order_id }
  history.cancellations.push(cancellation)
  const answer = await requests.untilDefinite({ operation: 'cancel', method: 'DELETE', path, key })
  if (answer?.status === 200) cancellation.acknowledgedAt = performance.now()
  await read()
}
