/** Keeps the connections to endpoints open between their turns: opening one is a third of the CPU time of a delivery. */
import {
  openEndpointConnection,
  type EndpointConnection,
  type EndpointConnectionOptions,
} from './endpoint-connection.ts'

const keptConnectionsMax = 1_000 // As many sockets as there are slots.
const keptMs = 20_000 // Many servers close an idle connection after 5 to 60 seconds.

export interface Endpoint {
  readonly webhook_id: number
  readonly url: string
}

export interface KeptConnections {
  /** The connection that was kept for the endpoint, or a new one. Nobody else has it until it is given back. */
  readonly take: (endpoint: Endpoint) => EndpointConnection
  readonly giveBack: (endpoint: Endpoint, connection: EndpointConnection) => void
  readonly close: () => void
}

interface Kept {
  readonly url: string
  readonly connection: EndpointConnection
  readonly since: number
}

export function keepConnections(options: EndpointConnectionOptions, max = keptConnectionsMax): KeptConnections {
  const kept = new Map<number, Kept>() // The longest idle first.
  let closed = false
  const drop = (webhook_id: number): void => {
    kept.get(webhook_id)?.connection.close()
    kept.delete(webhook_id)
  }
  const sweep = setInterval(() => {
    const before = performance.now() - keptMs
    for (const [webhook_id, { since }] of kept) {
      if (since > before) break
      drop(webhook_id)
    }
  }, keptMs / 4).unref()
  return {
    take: ({ webhook_id, url }) => {
      const found = kept.get(webhook_id)
      if (found?.url !== url) {
        drop(webhook_id) // The endpoint has moved.
        return openEndpointConnection(url, options)
      }
      kept.delete(webhook_id)
      return found.connection
    },
    giveBack: ({ webhook_id, url }, connection) => {
      drop(webhook_id)
      if (closed || !connection.isOpen()) {
        connection.close()
        return
      }
      kept.set(webhook_id, { url, connection, since: performance.now() })
      for (const oldest of kept.keys()) {
        if (kept.size <= max) break
        drop(oldest)
      }
    },
    close: () => {
      closed = true
      clearInterval(sweep)
      for (const webhook_id of kept.keys()) drop(webhook_id)
    },
  }
}
