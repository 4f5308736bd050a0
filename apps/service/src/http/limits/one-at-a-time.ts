/**
 * One request in progress per connection. Node starts a pipelined request as soon as it has arrived, however many are
 * unanswered; 78 KB of them could occupy the service for half a minute. Here each waits until the answer before it has
 * been handed to the operating system, which a client that reads no answers prevents. What waits when the connection is
 * gone is never started.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * About 100 KB of memory. Clients that pipeline at all send a few at a time. When another one arrives, the connection is cut,
 * since Node keeps every request that it has parsed until then: 78 KB of them are 2,000.
 */
export const waitingMax = 16

export interface OneAtATime {
  /** The listener is called when it is the request's turn. */
  readonly inTurn: (answer: RequestListener) => RequestListener
  /** To be called with each new connection. */
  readonly watch: (socket: Socket) => void
  /** Calls back, once for a connection, when everything that arrived on it before has been answered. */
  readonly afterAnswers: (socket: Socket, then: () => void) => void
}

interface Waiting {
  readonly response: ServerResponse
  readonly start: () => void
}

export function oneAtATime(): OneAtATime {
  const latest = new WeakMap<Socket, ServerResponse>()
  const queues = new WeakMap<Socket, Waiting[]>()
  const ending = new WeakSet<Socket>()

  /** Node gives a response its socket when the responses before it have been sent: until then it has none. */
  const isInTurn = ({ socket }: ServerResponse): boolean => socket !== null

  function wait(socket: Socket, waiting: Waiting): void {
    const before = latest.get(socket)
    if (before === undefined || !before.shouldKeepAlive) return // The connection closes after the answer before this one.
    const queue = queues.get(socket) ?? []
    if (queue.length === waitingMax) {
      socket.destroy()
      return
    }
    if (queue.length === 0) before.once('close', () => startNext(socket))
    queue.push(waiting)
    queues.set(socket, queue)
    latest.set(socket, waiting.response)
  }

  function startNext(socket: Socket): void {
    const queue = queues.get(socket) ?? []
    const next = queue.shift()
    if (next === undefined) return
    if (!socket.writable || !isInTurn(next.response)) {
      queue.length = 0
      return
    }
    if (queue.length > 0) next.response.once('close', () => startNext(socket))
    next.start()
  }

  return {
    inTurn: (answer) => (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request
      if (!isInTurn(response)) return wait(socket, { response, start: () => answer(request, response) })
      if (!socket.writable) return undefined
      latest.set(socket, response)
      answer(request, response)
    },
    watch: dropAfterCut,
    afterAnswers: (socket, then) => {
      if (ending.has(socket)) return
      ending.add(socket)
      const response = latest.get(socket)
      // With a body that is not complete, it is this request that waits.
      if (response === undefined || response.closed || !response.req.complete) then()
      else response.once('close', then)
    },
  }
}

/** What Node adds to a socket; not documented, so that it may be absent in a later version. */
interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming?: ((request: IncomingMessage, keepAlive: boolean) => number) | null } | null
}

/**
 * After a connection is cut, Node's parser continues with the up to 64 KB that it has read, and Node makes and keeps a
 * response for each request. This drops them before that. Without it, 100 connections took 459 MB instead of 300 for a moment;
 * nothing that Node documents stops its parser.
 */
function dropAfterCut(socket: ParsedSocket): void {
  const { parser } = socket
  const accept = parser?.onIncoming
  if (parser === undefined || parser === null || typeof accept !== 'function') return
  parser.onIncoming = (request, keepAlive) => (socket.destroyed ? 0 : accept(request, keepAlive))
}
