/** A load balancer on this machine: sends requests to the processes whose `/readyz` was 200, on connections it keeps. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Balancer {
  readonly url: string
  /** Adds a process, once it is ready. */
  readonly add: (address: string) => Promise<void>
  /** Stops checking a process that has ended. */
  readonly remove: (address: string) => void
  /** Requests that got no answer from the process they were sent to. It repeats none of them. */
  readonly broken: readonly string[]
  /** Requests for which no process was ready. */
  readonly refused: () => number
  readonly close: () => Promise<void>
}

const checkIntervalMs = 50
const idleMs = 120_000 // Longer than any client keeps an unused connection, so it is never closed under a new request.

export async function openBalancer(): Promise<Balancer> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  const ready = new Map<string, boolean>()
  const broken: string[] = []
  let refused = 0
  let next = 0
  const closing = new AbortController()

  const server = http.createServer({ keepAliveTimeout: idleMs }, (request, response) => {
    const targets = [...ready].filter(([, isReady]) => isReady)
    const [address] = targets[next++ % targets.length] ?? []
    if (address === undefined) {
      refused++
      response.writeHead(503).end()
      return
    }
    const { connection: _ofClient, ...headers } = request.headers
    const upstream = http.request(`${address}${request.url}`, { agent, method: request.method, headers }, (answer) => {
      const { connection: _ofProcess, ...rest } = answer.headers
      response.writeHead(answer.statusCode ?? 0, rest)
      answer.pipe(response)
      answer.on('error', (error) => fail(error))
    })
    const fail = (error: Error): void => {
      broken.push(`${request.method} ${request.url} to ${address}: ${error.message}`)
      response.destroy()
    }
    upstream.on('error', fail)
    request.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** On a connection of its own, as balancers do. */
  const check = (address: string): Promise<boolean> =>
    fetch(`${address}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    )
  const checking = (async () => {
    while (!closing.signal.aborted) {
      await Promise.all(
        [...ready.keys()].map(async (address) => {
          const isReady = await check(address)
          if (ready.has(address)) ready.set(address, isReady)
        }),
      )
      await sleep(checkIntervalMs)
    }
  })()

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: async (address) => {
      while (!(await check(address))) await sleep(checkIntervalMs)
      ready.set(address, true)
    },
    remove: (address) => void ready.delete(address),
    broken,
    refused: () => refused,
    close: async () => {
      closing.abort()
      await checking
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
