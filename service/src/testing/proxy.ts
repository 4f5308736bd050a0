/** A way to the database that can be cut. */
import net from 'node:net'

export interface DatabaseProxy {
  readonly url: string
  readonly raise: () => void
  /** Nothing passes any more, and nobody is told. */
  readonly mute: () => void
  readonly lower: () => void
  readonly close: () => void
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const open = new Set<net.Socket>()
  let up = false
  let muted = false
  const server = net.createServer((client) => {
    if (up) {
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
      up = true
      cut()
    },
    mute: () => {
      muted = true
      for (const socket of open) socket.unpipe()
    },
    lower: () => {
      up = false
      muted = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
