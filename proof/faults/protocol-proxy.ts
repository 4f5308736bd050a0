/**
 * A proxy in front of PostgreSQL that can freeze, delay, refuse and cut connections. It reads the protocol, so it can
 * also lose exactly one answer: the server has committed, and the caller does not learn it.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundStatement, readMessages } from 'pg-statements/testing-messages.ts'

export interface ProtocolProxy {
  readonly url: string
  /** New connections lead there. */
  target: { readonly host: string; readonly port: number }
  /** Whether new connections are closed at once. */
  refusing: boolean
  /** Added to everything that the server sends. */
  delayMs: number
  /** Decides for each statement, by its name, whether the answer to it is lost. */
  losesAnswer: (statement: string) => boolean
  /** Answers lost so far. */
  readonly lost: () => number
  /** Connections stay open, but nothing is forwarded. */
  readonly freeze: (frozen: boolean) => void
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export async function openProtocolProxy(databaseUrl: string): Promise<ProtocolProxy> {
  const sockets = new Set<Socket>()
  let frozen = false
  let lost = 0

  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (proxy.refusing) {
      client.destroy()
      return
    }
    const upstream = connect(proxy.target.port, proxy.target.host)
    const cut = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket)
        cut()
      })
      if (frozen) socket.pause()
    }
    const watch = watchAnswers((statement) => proxy.losesAnswer(statement))
    client.on('data', (chunk: Buffer) => {
      watch.sent(chunk)
      upstream.write(chunk)
    })
    let delayed = Promise.resolve()
    let waiting = 0
    upstream.on('data', (chunk: Buffer) => {
      const { forwarded, answerLost } = watch.received(chunk)
      const forward = (): void => {
        client.write(forwarded)
        if (!answerLost) return
        lost++
        cut()
      }
      // Nothing may pass what is still being delayed.
      if (proxy.delayMs === 0 && waiting === 0) {
        forward()
        return
      }
      waiting++
      delayed = Promise.all([delayed, sleep(proxy.delayMs)]).then(() => {
        waiting--
        forward()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const { hostname, port } = new URL(databaseUrl)
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const proxy: ProtocolProxy = {
    url: url.href,
    target: { host: hostname, port: Number(port) || 5432 },
    refusing: false,
    delayMs: 0,
    losesAnswer: () => false,
    lost: () => lost,
    freeze: (wanted) => {
      frozen = wanted
      for (const socket of sockets)
        if (frozen) socket.pause()
        else socket.resume()
    },
    cut,
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

interface Watch {
  readonly sent: (chunk: Buffer) => void
  /** What of the server's bytes the client gets, and whether the connection ends there. */
  readonly received: (chunk: Buffer) => { forwarded: Buffer; answerLost: boolean }
}

/**
 * The server answers the start-up, each simple Query and each Sync with one ReadyForQuery, after the commit. So the
 * answer to a statement is what the server sends between the ReadyForQuery before its Sync and its own.
 */
function watchAnswers(losesAnswer: (statement: string) => boolean): Watch {
  let asked = 1 // The start-up.
  let answered = 0
  let lost: number | undefined
  const sent = readMessages('client', (type, body) => {
    if (type === 'B' && lost === undefined && losesAnswer(boundStatement(body))) lost = asked
    if (type === 'S' || type === 'Q') asked++
  })
  let forwarded: Buffer[] = []
  let answerLost = false
  const received = readMessages('server', (type, _, message) => {
    if (lost === undefined || answered < lost) forwarded.push(message)
    else if (type === 'Z') answerLost = true
    if (type === 'Z') answered++
  })
  return {
    sent,
    received: (chunk) => {
      forwarded = []
      received(chunk)
      return { forwarded: Buffer.concat(forwarded), answerLost }
    },
  }
}
