/**
 * A few connections, each shared by many requests: statements are sent without waiting for the answers of those before them.
 * That is safe because every statement is a transaction by itself, and it saves most of the wake-ups between the processes.
 * A statement that waits for a lock holds up those behind it on its connection, so each goes to the one with the least to do.
 */
import pg from 'pg'

interface Lane {
  client: Promise<pg.Client> | undefined
  underWay: number
  /** When an answer came last, or when the first of the statements under way was sent. */
  heardAt: number
  /** The `heardAt` at which the lane was found silent; given up only if that is still so a second later. */
  suspectedAt: number
}

interface Lanes {
  query: (query: { name: string; text: string; values: unknown[] }) => Promise<pg.QueryArrayResult<(string | null)[]>>
  close: () => Promise<void>
}

export interface LaneSettings {
  readonly url: string
  readonly poolSize: number
  readonly timeZone: string
  readonly statementTimeoutMs: number
}

const watchEveryMs = 1_000

export function openLanes(settings: LaneSettings): Lanes {
  const lanes = Array.from({ length: settings.poolSize }, (): Lane => ({
    client: undefined,
    underWay: 0,
    heardAt: 0,
    suspectedAt: 0,
  }))

  function connect(lane: Lane): Promise<pg.Client> {
    const client = new pg.Client(connectionOf(settings))
    const forget = (): void => {
      if (lane.client === connected) lane.client = undefined
    }
    // Whoever had sent a statement is told by that statement's own failure; the next one opens a new connection.
    client.on('error', forget).on('end', forget)
    const connected = client.connect().then(() => client)
    connected.catch(forget)
    lane.client = connected
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
    const client = await lane.client?.catch(() => undefined)
    client?.connection.stream.destroy()
  }

  return {
    query: async (query) => {
      const lane = lanes.reduce((best, next) => (next.underWay < best.underWay ? next : best))
      if (lane.underWay++ === 0) lane.heardAt = performance.now()
      try {
        const client = await (lane.client ?? connect(lane))
        return await client.query<(string | null)[]>({ ...query, rowMode: 'array', types: asText })
      } finally {
        lane.underWay--
        lane.heardAt = performance.now()
      }
    },
    close: async () => {
      clearInterval(watch)
      await Promise.all(lanes.map(async ({ client }) => (await client?.catch(() => undefined))?.end()))
    },
  }
}

function connectionOf({ url, timeZone, statementTimeoutMs }: LaneSettings): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'parts',
    connectionTimeoutMillis: statementTimeoutMs,
    keepAlive: true,
    pipeline: true,
    // The generic plan is the right one, since all statements look rows up by key, and planning costs more than running.
    // The session's time zone is the service's, so that PostgreSQL prints and reads days as clients mean them.
    options: [
      '-c plan_cache_mode=force_generic_plan',
      '-c jit=off',
      '-c DateStyle=ISO',
      `-c TimeZone=${timeZone}`,
      `-c statement_timeout=${statementTimeoutMs}`,
    ].join(' '),
  }
}

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig
