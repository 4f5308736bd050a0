/**
 * The pipelined driver: a few connections, each shared by many requests. Statements are sent without waiting for the answers of
 * earlier ones. That is safe because every statement is a transaction of its own, and it saves most wake-ups between the processes.
 * A statement that waits for a lock blocks those behind it on its connection, so each goes to the connection with the fewest in flight.
 */
import pg from 'pg'
import { sessionOptions, type Driver, type DriverSettings } from './driver.ts'
import { openSession, type Session } from './protocol.ts'

interface Connection {
  opened: Promise<Opened> | undefined
  inFlight: number
  /** When the last answer arrived, or when the first of the statements in flight was sent. */
  lastHeardAt: number
  /** The `lastHeardAt` at which the connection was found silent. It is closed only if that is still so a second later. */
  suspectedAt: number
  /** Statements that ended since the expected wait was last calculated. */
  ended: number
}

interface Opened {
  readonly client: pg.Client
  readonly session: Session
}

const watchEveryMs = 1_000

export function openConnections(settings: DriverSettings): Driver {
  const connections = Array.from({ length: settings.poolSize }, (): Connection => ({
    opened: undefined,
    inFlight: 0,
    lastHeardAt: 0,
    suspectedAt: 0,
    ended: 0,
  }))

  // Reads never wait for a lock and share few connections: the more of them travel together, the cheaper each is.
  const readers = Math.ceil(settings.poolSize / 3)
  const reading = connections.slice(0, readers)
  const writing = settings.poolSize === 1 ? connections : connections.slice(readers)

  let measuredAt = performance.now()

  function open(connection: Connection): Promise<Opened> {
    const client = new pg.Client({
      connectionString: settings.url,
      application_name: 'parts',
      connectionTimeoutMillis: settings.statementTimeoutMs,
      keepAlive: true,
      options: sessionOptions(settings),
    })
    const forget = (): void => {
      if (connection.opened === opened) connection.opened = undefined
    }
    // Statements in flight fail on their own; the next one opens a new connection.
    client.on('error', forget).on('end', forget)
    const opened = client.connect().then(() => ({ client, session: openSession(client) }))
    opened.catch(forget)
    connection.opened = opened
    return opened
  }

  const watch = setInterval(() => {
    for (const connection of connections) void closeIfSilent(connection)
  }, watchEveryMs).unref()

  /**
   * PostgreSQL cancels a statement that takes too long, so a connection in use is heard from at least that often.
   * Otherwise the other side is gone without notice, and TCP may take hours to find out.
   */
  async function closeIfSilent(connection: Connection): Promise<void> {
    const silentMs = performance.now() - connection.lastHeardAt
    if (connection.inFlight === 0 || silentMs < settings.statementTimeoutMs) return
    const suspected = connection.suspectedAt === connection.lastHeardAt
    connection.suspectedAt = connection.lastHeardAt
    if (!suspected) return // Our own event loop may have been blocked, so check twice.
    const opened = await connection.opened?.catch(() => undefined)
    opened?.client.connection.stream.destroy()
  }

  return {
    query: async (statement, values) => {
      const connection = (statement.reads ? reading : writing).reduce((best, next) =>
        next.inFlight < best.inFlight ? next : best,
      )
      if (connection.inFlight++ === 0) connection.lastHeardAt = performance.now()
      try {
        const { session } = await (connection.opened ?? open(connection))
        return await session.send(statement, values)
      } finally {
        connection.inFlight--
        connection.lastHeardAt = performance.now()
        connection.ended++
      }
    },
    expectedWaitMs: () => {
      const now = performance.now()
      const sinceMs = now - measuredAt
      measuredAt = now
      return { reading: waitOf(reading, sinceMs), writing: waitOf(writing, sinceMs) }
    },
    close: async () => {
      clearInterval(watch)
      await Promise.all(connections.map(async ({ opened }) => (await opened?.catch(() => undefined))?.client.end()))
    },
  }
}

/** Statements in flight, at the recent pace. One slow statement is no queue, and where none has ended there is no pace to go by. */
function waitOf(connections: readonly Connection[], sinceMs: number): number {
  const inFlight = connections.reduce((sum, connection) => sum + connection.inFlight, 0)
  const ended = connections.reduce((sum, connection) => sum + connection.ended, 0)
  for (const connection of connections) connection.ended = 0
  return inFlight > connections.length && ended > 0 ? (inFlight / ended) * sinceMs : 0
}
