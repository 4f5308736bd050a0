/** The only reader of the environment. Every wrong setting is reported at once, before anything starts. */
import { availableParallelism } from 'node:os'
import type { ShedAfterMs } from './http/listening/shedding.ts'
import { orderStates, type OrderState } from './orders/order-states.ts'

export interface Config {
  readonly databaseUrl: string
  readonly host: string
  readonly port: number
  readonly metricsPort: number
  readonly workerPort: number
  readonly workerMetricsPort: number
  readonly processes: number
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly shutdownGraceMs: number
  readonly keyUseIntervalMs: number
  readonly rateLimit: boolean
  readonly redisUrl: string
  readonly shedAfterMs: ShedAfterMs
  readonly timeZone: string
  readonly logLevel: string
  readonly shippingDaysAheadMax: number
  readonly importRowsMax: number
  readonly archiveAfterDays: number
  readonly eventsKeptDays: number
  readonly webhooksAllowHttp: boolean
  readonly webhooksAllowPrivate: boolean
  readonly webhookLeaseMs: number
  readonly stateLabels: Readonly<Record<OrderState, string>>
}

interface Setting<T> {
  readonly variable: string
  readonly meaning: string
  readonly standard: string | undefined
  /** Returns the value, or throws a RangeError that completes the sentence "<VARIABLE> must be …". */
  readonly read: (text: string) => T
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export const settings: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning: 'Where PostgreSQL is.',
    standard: undefined,
    read: (text) => {
      if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
        throw new RangeError('an address such as postgres://user:password@host:5432/database')
      return text
    },
  },
  host: { variable: 'HOST', meaning: 'The address to listen on.', standard: '127.0.0.1', read: nonEmpty },
  port: {
    variable: 'PORT',
    meaning: 'The port of the API; 0 takes a free one.',
    standard: '8080',
    read: whole(0, 65_535),
  },
  metricsPort: {
    variable: 'METRICS_PORT',
    meaning: 'The port of the Prometheus metrics; 0 takes a free one.',
    standard: '9464',
    read: whole(0, 65_535),
  },
  workerPort: {
    variable: 'WORKER_PORT',
    meaning: 'The port on which the worker tells how it is; 0 takes a free one.',
    standard: '8081',
    read: whole(0, 65_535),
  },
  workerMetricsPort: {
    variable: 'WORKER_METRICS_PORT',
    meaning: "The port of the worker's Prometheus metrics; 0 takes a free one.",
    standard: '9465',
    read: whole(0, 65_535),
  },
  processes: {
    variable: 'PROCESSES',
    meaning:
      'How many processes serve the API on the same port; one of them keeps one core busy. `0` means one for each core.',
    standard: '1',
    read: (text) => whole(0, 256)(text) || availableParallelism(),
  },
  poolSize: {
    variable: 'POOL_SIZE',
    meaning:
      'Connections to PostgreSQL that one process holds at most; a third of them serve statements that only read.',
    standard: '6',
    read: whole(1, 200),
  },
  statementTimeoutMs: {
    variable: 'STATEMENT_TIMEOUT_MS',
    meaning: 'How long a statement may take, and how long a request waits for a connection.',
    standard: '5000',
    read: whole(100, 60_000),
  },
  requestTimeoutMs: {
    variable: 'REQUEST_TIMEOUT_MS',
    meaning: 'How long a client may take to send a request.',
    standard: '15000',
    read: whole(1_000, 120_000),
  },
  shutdownGraceMs: {
    variable: 'SHUTDOWN_GRACE_MS',
    meaning: 'How long requests under way, or a batch of the worker, may still take after SIGTERM.',
    standard: '20000',
    read: whole(0, 300_000),
  },
  keyUseIntervalMs: {
    variable: 'KEY_USE_INTERVAL_MS',
    meaning:
      'How often a process writes down which keys were used: the `last_used_at` of a key lags behind by as much.',
    standard: '60000',
    read: whole(100, 3_600_000),
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    meaning:
      '`off` lets every key be used as often as it likes, whatever rate it was issued with: for measuring what the service can do.',
    standard: 'on',
    read: (text) => {
      if (text !== 'on' && text !== 'off') throw new RangeError('on or off')
      return text === 'on'
    },
  },
  redisUrl: {
    variable: 'REDIS_URL',
    meaning:
      'A Redis through which all processes count the requests of a key together. Without it, or while it is away, each process counts by itself, so that a key may make as many times its rate as there are processes.',
    standard: '',
    read: (text) => {
      if (text !== '' && (!/^rediss?:\/\//.test(text) || !URL.canParse(text)))
        throw new RangeError('an address such as redis://user:password@host:6379')
      return text
    },
  },
  shedAfterMs: {
    variable: 'SHED_AFTER_MS',
    meaning:
      'Overload, as the milliseconds that a statement will have to wait for; beyond them requests are refused with 503: lists, all others, and placing orders. `off` refuses nothing.',
    standard: '100,200,400',
    read: (text) => {
      if (text === 'off') return null
      const [lists = 0, others = 0, orders = 0, ...more] = text
        .split(',')
        .map((part) => (/^[1-9]\d{0,4}$/.test(part) ? Number(part) : 0))
      if (more.length > 0 || !(0 < lists && lists <= others && others <= orders))
        throw new RangeError('three rising numbers such as 100,200,400, or off')
      return { lists, others, orders }
    },
  },
  timeZone: {
    variable: 'SERVICE_TIME_ZONE',
    meaning: 'The time zone of every date and time that clients see and send.',
    standard: 'UTC',
    read: (text) => {
      if (!Intl.supportedValuesOf('timeZone').includes(text) && text !== 'UTC')
        throw new RangeError('an IANA time zone such as Europe/Berlin')
      return text
    },
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    meaning: `One of ${logLevels.join(', ')}.`,
    standard: 'info',
    read: (text) => {
      if (!logLevels.includes(text)) throw new RangeError(`one of ${logLevels.join(', ')}`)
      return text
    },
  },
  shippingDaysAheadMax: {
    variable: 'SHIPPING_DAYS_AHEAD_MAX',
    meaning: 'How many days ahead a shipping date may lie.',
    standard: '90',
    read: whole(1, 3_650),
  },
  importRowsMax: {
    variable: 'IMPORT_ROWS_MAX',
    meaning: 'How many rows an import may have. A process remembers which it has seen: some 30 MB for a million.',
    standard: '5000000',
    read: whole(1, 16_000_000),
  },
  archiveAfterDays: {
    variable: 'ARCHIVE_AFTER_DAYS',
    meaning: 'How many days after its completion or cancellation the worker archives an order.',
    standard: '90',
    read: whole(1, 3_650),
  },
  eventsKeptDays: {
    variable: 'EVENTS_KEPT_DAYS',
    meaning:
      'For how many days at least events are kept; the worker deletes older ones. At least 4: webhooks are tried for three.',
    standard: '90',
    read: whole(4, 3_650),
  },
  webhooksAllowHttp: {
    variable: 'WEBHOOKS_ALLOW_HTTP',
    meaning: 'Whether webhooks may go to plain http addresses: `true` for development only.',
    standard: 'false',
    read: trueOrFalse,
  },
  webhooksAllowPrivate: {
    variable: 'WEBHOOKS_ALLOW_PRIVATE',
    meaning:
      'Whether webhooks may go to this machine and its network: `true` for development only, since clients choose the addresses.',
    standard: 'false',
    read: trueOrFalse,
  },
  webhookLeaseMs: {
    variable: 'WEBHOOK_LEASE_MS',
    meaning: 'How long after a worker was killed another one takes over the endpoints that it was delivering to.',
    standard: '10000',
    read: whole(1_000, 60_000),
  },
  stateLabels: {
    variable: 'STATE_LABELS',
    meaning: 'Labels of order states that differ from the English ones, as a JSON object of state_id and label.',
    standard: '{}',
    read: labels,
  },
}

/** Reads all settings, or throws one error that names every wrong one. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const read = <T>({ variable, standard, read: parse }: Setting<T>): T | undefined => {
    const text = environment[variable] ?? standard
    if (text === undefined) problems.push(`${variable} must be set.`)
    try {
      return text === undefined ? undefined : parse(text)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      problems.push(`${variable} must be ${error.message}, not '${variable.endsWith('_URL') ? '…' : text}'.`)
      return undefined
    }
  }
  const config = Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, read(setting as Setting<unknown>)]),
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return config as unknown as Config
}

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

function nonEmpty(text: string): string {
  if (text === '') throw new RangeError('something')
  return text
}

function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new RangeError(`a whole number from ${min} to ${max}`)
    return value
  }
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new RangeError('true or false')
  return text === 'true'
}

function labels(text: string): Record<OrderState, string> {
  const standard = Object.fromEntries(orderStates.map(({ state_id, value }) => [state_id, value])) as Record<
    OrderState,
    string
  >
  let own: unknown
  try {
    own = JSON.parse(text)
  } catch {
    own = undefined
  }
  const known = Object.keys(standard)
  const fit =
    typeof own === 'object' &&
    own !== null &&
    Object.entries(own).every(([id, label]) => known.includes(id) && typeof label === 'string' && label !== '')
  if (!fit) throw new RangeError(`a JSON object of labels for ${known.join(', ')}`)
  return { ...standard, ...(own as object) }
}
