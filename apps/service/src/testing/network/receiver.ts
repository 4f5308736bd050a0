/** A webhook receiver that records what it gets and answers with the given function. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** When the body was complete, in milliseconds of `performance.now()`. */
  readonly at: number
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** While paused, deliveries are taken but neither recorded nor answered. */
  readonly pause: (paused: boolean) => void
  readonly close: () => void
}

/** Answers a delivery; a delivery that it does not answer hangs. */
export type Answering = (got: Received, response: ServerResponse) => void

export const takeAll: Answering = (_, response) => void response.writeHead(204).end()

export async function startReceiver(answer: Answering = takeAll): Promise<Receiver> {
  const received: Received[] = []
  let isPaused = false
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    if (isPaused) return
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const got = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: performance.now(),
      }
      received.push(got)
      answer(got, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    pause: (paused) => {
      isPaused = paused
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const numberOf = ({ body }: Received): number =>
  (JSON.parse(body) as { data: { event_number: number } }).data.event_number
