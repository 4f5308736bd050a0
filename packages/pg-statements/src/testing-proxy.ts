/** For tests: a proxy in front of PostgreSQL that can be cut, frozen, closed for new connections, or slow. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy {
  readonly url: string
  readonly port: number
  /** Closes all connections. */
  readonly cut: () => void
  /** Whether new connections are refused. */
  refusing: boolean
  /** Whether connections stay open but nothing is forwarded. */
  readonly freeze: (frozen: boolean) => void
  /** New connections lead there. */
  target: { readonly host: string; readonly port: number }
  readonly close: () => Promise<void>
}

export async function openProxy(url: string): Promise<Proxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let frozen = false
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (proxy.refusing) {
      client.destroy()
      return
    }
    const upstream = connect(proxy.target.port, proxy.target.host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      if (frozen) from.pause()
      from.on('data', (chunk) => void to.write(chunk))
      from
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      if (frozen) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  const through = new URL(url)
  through.host = `127.0.0.1:${own}`
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const proxy: Proxy = {
    url: through.href,
    port: own,
    cut,
    refusing: false,
    freeze: (wanted) => {
      frozen = wanted
      for (const socket of sockets)
        if (frozen) socket.pause()
        else socket.resume()
    },
    target: { host: hostname, port: Number(port) || 5432 },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
