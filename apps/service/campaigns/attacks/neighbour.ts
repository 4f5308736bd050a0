/** A client that works as usual while somebody else attacks: it reads, adds and changes, one request after another. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { addClient, shopper } from '../../src/testing/fixtures.ts'
import type { TestService } from '../../src/testing/service.ts'

const turnMs = 3_000
const pauseMs = 30

export interface Measured {
  readonly ms: number[]
  readonly statuses: number[]
}

export interface Neighbour {
  /** Works at this address for one turn. */
  readonly work: (address: string, measured: Measured) => Promise<void>
}

export const nothingMeasured = (): Measured => ({ ms: [], statuses: [] })

export async function addNeighbour(service: TestService): Promise<Neighbour> {
  const client = await addClient(service, { name: 'Neighbour' })
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  const order_id = await shop.order(cart_id)
  const requests = [
    ['GET', `/api/v1/orders/${order_id}/`],
    ['PUT', `/api/v1/carts/${cart_id}/items/`, 'item_id=2&stock_id=1&quantity=1'],
    ['GET', `/api/v1/carts/${cart_id}/items/`],
    ['GET', '/api/v1/orders/?limit=20'],
  ] as const
  const headers = { authorization: client.key, 'content-type': 'application/x-www-form-urlencoded' }

  return {
    work: async (address, { ms, statuses }) => {
      const until = performance.now() + turnMs
      for (let n = 0; performance.now() < until; n++) {
        const [method, path, body] = requests[n % requests.length] ?? assert.fail()
        const started = performance.now()
        const answer = await fetch(`${address}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
        await answer.arrayBuffer()
        ms.push(performance.now() - started)
        statuses.push(answer.status)
        await sleep(pauseMs)
      }
    },
  }
}
