/** A proxy in front of the service that loses requests and answers, delays them, and refuses on its own. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What happens to a request: `cut before` it reaches the service, `cut after` the service has answered, `cut during` the
 * answer, `delay` of the answer, an answer of a full service (`503`) or of its rate limit (`429`), or a page of a
 * gateway (`502`).
 */
export type Fate = 'pass' | 'cut before' | 'cut after' | 'cut during' | 'delay' | '429' | '502' | '503'

export interface UnreliableProxy {
  readonly url: string
  /** How often each fate was met. */
  readonly met: Partial<Record<Fate, number>>
  readonly close: () => Promise<void>
}

export async function openUnreliableProxy(
  port: number,
  fateOf: (request: IncomingMessage) => Fate,
  { delayMs = () => 50 }: { delayMs?: () => number } = {},
): Promise<UnreliableProxy> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 128 })
  const met: Partial<Record<Fate, number>> = {}

  function forward(request: IncomingMessage, body: Buffer): Promise<{ answer: IncomingMessage; text: Buffer }> {
    return new Promise((resolve, reject) => {
      const { method, url, headers } = request
      const onward = http.request({ agent, port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
        bytesOf(answer).then((text) => resolve({ answer, text }), reject)
      })
      onward.on('error', reject).end(body)
    })
  }

  async function meet(fate: Fate, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fate === 'cut before') return void response.destroy()
    const body = await bytesOf(request)
    if (fate === '502') return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    if (fate === '429' || fate === '503') return refuse(response, fate)
    const { answer, text } = await forward(request, body)
    if (fate === 'cut after') return void response.destroy()
    if (fate === 'delay') await new Promise((resolve) => setTimeout(resolve, delayMs()))
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    if (fate !== 'cut during') return void response.end(text)
    response.write(text.subarray(0, text.length / 2), () => response.destroy())
  }

  const server = http.createServer((request, response) => {
    const fate = fateOf(request)
    met[fate] = (met[fate] ?? 0) + 1
    meet(fate, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

/** As the service refuses, without doing anything. */
function refuse(response: ServerResponse, fate: '429' | '503'): void {
  const error =
    fate === '429'
      ? {
          code: 'rate_limited',
          message: 'Rate limit exceeded.',
          details: { rate_per_second: 50, rate_burst: 100 },
        }
      : { code: 'overloaded', message: 'The service is overloaded.' }
  response.writeHead(Number(fate), { 'content-type': 'application/json', 'retry-after': '0' })
  response.end(JSON.stringify({ status: 'fail', errors: [error], request_id: 'proxy' }))
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
