/** Endpoints for all clients of a loaded database, and a receiver of what is delivered to them. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from 'pg'
import { makeSecret } from '../../../apps/service/src/webhooks/signature.ts'

export interface CountingReceiver {
  readonly address: string
  readonly received: () => number
  readonly close: () => void
}

export async function startReceiver(): Promise<CountingReceiver> {
  let received = 0
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    received++
    request.resume().on('end', () => response.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function removeEndpoints(session: Client): Promise<void> {
  await session.query('truncate webhooks, webhook_deliveries, webhook_tests')
  await session.query('update clients set webhook_count = 0 where webhook_count > 0')
  await session.query('vacuum clients')
}

/** One per client, which has received all events so far. */
export async function makeEndpoints(session: Client, address: string): Promise<void> {
  await session.query(
    `with client as (update clients set webhook_count = 1 returning client_id, event_number)
     insert into webhooks (client_id, url, secret, delivered_event_number)
     select client_id, $1 || '/' || client_id, $2, event_number from client`,
    [address, makeSecret()],
  )
  await session.query('vacuum analyze clients, webhooks')
}

/** The environment of a worker that delivers to the receiver. */
export const workerSettings = (url: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: url,
  WORKER_PORT: '0',
  WORKER_METRICS_PORT: '0',
  LOG_LEVEL: 'silent',
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
})
