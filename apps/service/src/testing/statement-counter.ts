/** A proxy in front of PostgreSQL that counts every Execute and simple Query on the wire, and can cut the connection. */
import net from 'node:net'
import { boundStatement, readMessages } from 'pg-statements/testing-messages.ts'

export interface StatementCounter {
  readonly url: string
  /** The statements since the last call, by the name of the prepared statement. */
  readonly take: () => string[]
  readonly close: () => void
}

/** The connection breaks before PostgreSQL gets the statement, or before the service gets its answer. */
export type Cut = 'statement lost' | 'answer lost'

/** `cut` decides for each statement whether the connection breaks with it. */
export async function countStatements(
  databaseUrl: string,
  cut: (statement: string) => Cut | undefined = () => undefined,
): Promise<StatementCounter> {
  const target = new URL(databaseUrl)
  let seen: string[] = []
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port) || 5432, target.hostname)
    let broken: Cut | undefined
    let settingUp = true
    const read = readMessages('client', (type, body) => {
      // Execute of the bound portal follows immediately.
      if (type === 'B') {
        const name = boundStatement(body)
        seen.push(name)
        broken ??= cut(name)
      }
      if (type === 'Q' && !settingUp) seen.push(`simple query: ${body.toString().slice(0, 80)}`)
      if (type === 'Q') settingUp = false // The first query of a connection makes the session's settings.
    })
    client.on('data', (chunk: Buffer) => {
      read(chunk)
      if (broken !== 'statement lost') upstream.write(chunk)
      if (broken !== undefined) client.destroy()
    })
    upstream.pipe(client)
    const end = (): void => {
      client.destroy()
      if (broken === 'answer lost') upstream.resume().end() // PostgreSQL executes the statement before it sees the end.
      else upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
  return {
    url: url.href,
    take: () => {
      const taken = seen
      seen = []
      return taken
    },
    close: () => server.close(),
  }
}
