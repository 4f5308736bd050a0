/**
 * A few connections, each shared by many requests: statements are sent without waiting for the answers of those before them.
 * That is safe because every statement is a transaction by itself, and it saves most of the wake-ups between the processes.
 * A statement that waits for a lock holds up those behind it on its connection, so each goes to the one with the least to do.
 */
import pg from 'pg'
import type { Row, Statement } from './statement.ts'
import { openWire, type Wire } from './protocol.ts'

interface Lane {
  connection: Promise<Connection> | undefined
  underWay: number
  /** When an answer came last, or when the first of the statements under way was sent. */
  heardAt: number
  /** The `heardAt` at which the lane was found silent; given up only if that is still so a second later. */
  suspectedAt: number
  /** How many statements have ended since the last look at it. */
  ended: number
}

interface Connection {
  readonly client: pg.Client
  readonly wire: Wire
}

/** How long a statement that comes now will take, where statements wait behind others; otherwise 0. */
export interface WaitMs {
  readonly reading: number
  readonly writing: number
}

interface Lanes {
  query: (statement: Statement, values: readonly (string | null)[]) => Promise<Row[]>
  waitMs: () => WaitMs
  close: () => Promise<void>
}

export interface ConnectionSettings {
  readonly url: string
  readonly poolSize: number
  readonly timeZone: string
  readonly statementTimeoutMs: number
  /** PostgreSQL's settings for these connections that differ from its own, as `name=value`. */
  readonly sessionSettings?: readonly string[]
}

const watchEveryMs = 1_000

export function openConnections(settings: ConnectionSettings): Lanes {
  const lanes = Array.from({ length: settings.poolSize }, (): Lane => ({
    connection: undefined,
    underWay: 0,
    heardAt: 0,
    suspectedAt: 0,
    ended: 0,
  }))

  // Statements that only read never wait for a lock, and share few connections: the more of them travel together, the cheaper they are.
  const readers = Math.ceil(settings.poolSize / 3)
  const reading = lanes.slice(0, readers)
  const writing = settings.poolSize === 1 ? lanes : lanes.slice(readers)

  let lookedAt = performance.now()

  function connect(lane: Lane): Promise<Connection> {
    const client = new pg.Client(connectionOf(settings))
    const forget = (): void => {
      if (lane.connection === connected) lane.connection = undefined
    }
    // Whoever had sent a statement is told by that statement's own failure; the next one opens a new connection.
    client.on('error', forget).on('end', forget)
    const connected = client.connect().then(() => ({ client, wire: openWire(client) }))
    connected.catch(forget)
    lane.connection = connected
    return connected
  }

  const watch = setInterval(() => {
    for (const lane of lanes) void giveUpIfSilent(lane)
  }, watchEveryMs).unref()

  /**
   * PostgreSQL ends a statement that takes too long by itself, so something is heard at least that often from a lane in use.
   * Otherwise the other side is gone without a word, and waiting for TCP to notice may take hours.
   */
  async function giveUpIfSilent(lane: Lane): Promise<void> {
    const silentMs = performance.now() - lane.heardAt
    if (lane.underWay === 0 || silentMs < settings.statementTimeoutMs) return
    const suspected = lane.suspectedAt === lane.heardAt
    lane.suspectedAt = lane.heardAt
    if (!suspected) return // It may have been us who slept.
    const connection = await lane.connection?.catch(() => undefined)
    connection?.client.connection.stream.destroy()
  }

  return {
    query: async (statement, values) => {
      const lane = (statement.reads ? reading : writing).reduce((best, next) =>
        next.underWay < best.underWay ? next : best,
      )
      if (lane.underWay++ === 0) lane.heardAt = performance.now()
      try {
        const { wire } = await (lane.connection ?? connect(lane))
        return await wire.send(statement, values)
      } finally {
        lane.underWay--
        lane.heardAt = performance.now()
        lane.ended++
      }
    },
    waitMs: () => {
      const now = performance.now()
      const sinceMs = now - lookedAt
      lookedAt = now
      return { reading: waitOf(reading, sinceMs), writing: waitOf(writing, sinceMs) }
    },
    close: async () => {
      clearInterval(watch)
      await Promise.all(lanes.map(async ({ connection }) => (await connection?.catch(() => undefined))?.client.end()))
    },
  }
}

/** What is under way, at the pace of the last while. One slow statement is no queue; and where none has ended, nothing can be said. */
function waitOf(lanes: readonly Lane[], sinceMs: number): number {
  const underWay = lanes.reduce((sum, lane) => sum + lane.underWay, 0)
  const ended = lanes.reduce((sum, lane) => sum + lane.ended, 0)
  for (const lane of lanes) lane.ended = 0
  return underWay > lanes.length && ended > 0 ? (underWay / ended) * sinceMs : 0
}

function connectionOf(settings: ConnectionSettings): pg.ClientConfig {
  return {
    connectionString: settings.url,
    application_name: 'parts',
    connectionTimeoutMillis: settings.statementTimeoutMs,
    keepAlive: true,
    options: sessionOptions(settings),
  }
}

/**
 * The generic plan is the right one, since all statements look rows up by key, and planning costs more than running.
 * The session's time zone is the service's, so that PostgreSQL prints and reads days as clients mean them.
 */
export function sessionOptions(
  settings: Pick<ConnectionSettings, 'timeZone' | 'statementTimeoutMs' | 'sessionSettings'>,
): string {
  return [
    '-c plan_cache_mode=force_generic_plan',
    '-c jit=off',
    '-c DateStyle=ISO',
    `-c TimeZone=${settings.timeZone}`,
    `-c statement_timeout=${settings.statementTimeoutMs}`,
    ...(settings.sessionSettings ?? []).map((setting) => `-c ${setting}`),
  ].join(' ')
}
