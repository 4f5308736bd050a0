/** A proxy in front of PostgreSQL that can be cut or silenced. */
import net from 'node:net'

export interface DatabaseProxy {
  readonly url: string
  /** Closes all connections and refuses new ones. */
  readonly raise: () => void
  /** Keeps connections open, but forwards nothing. */
  readonly mute: () => void
  /** Forwards new connections again. */
  readonly lower: () => void
  readonly close: () => void
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const open = new Set<net.Socket>()
  let refusing = false
  let muted = false
  const server = net.createServer((client) => {
    if (refusing) {
      client.destroy()
      return
    }
    const upstream = net.connect(Number(target.port) || 5432, target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    }
    if (!muted) client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    raise: () => {
      refusing = true
      cut()
    },
    mute: () => {
      muted = true
      for (const socket of open) socket.unpipe()
    },
    lower: () => {
      refusing = false
      muted = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
