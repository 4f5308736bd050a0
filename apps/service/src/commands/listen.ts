/** Listening on ports, with failures that the person who starts the process can fix. */
import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { StartProblem } from './start-problem.ts'

export interface ListenAt {
  readonly host: string
  readonly port: number
  /** The setting that chooses the port. */
  readonly variable: string
}

/** Throws if the port is in use, before any work is done. */
export async function refuseBusyPort(at: ListenAt): Promise<void> {
  const server = createServer()
  await listening(at, () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject).listen(at.port, at.host, resolve)
    return promise
  })
  await new Promise((resolve) => server.close(resolve))
}

/** Calls `listen`, and explains why it failed. */
export async function listening<T>({ host, port, variable }: ListenAt, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const { code = '', syscall = '' } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartProblem(
        `Port ${port} of ${host} is in use by another program: set ${variable} to another port, or to 0 for any free one.`,
      )
    }
    if (syscall === 'listen' || syscall === 'getaddrinfo')
      throw new StartProblem(`Cannot listen on port ${port} of ${host} (${code}): set HOST and ${variable}.`)
    throw error
  }
}

/** The URL of a server for a client on this machine. One that listens on all addresses listens on the local one too. */
export function localUrl(host: string, server: { address(): AddressInfo | string | null }): string {
  const address = server.address()
  assert(address !== null && typeof address === 'object', 'The server does not listen on a port.')
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`
}
