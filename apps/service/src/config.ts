/**
 * Every setting of the service. All invalid ones are reported together, before anything starts. Elsewhere only the demo
 * reads the environment (`DEMO_DATA_DIR`, and whether `DATABASE_URL` is set), and `parts` in apps/cli/src/settings.ts.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { UnusableDatabase } from 'pg-statements/database.ts'
import { readHosts } from 'pg-statements/hosts.ts'
import { roleNamed, roleNames, type Role } from './identity/actor.ts'
import { isNetwork } from './http/client-address.ts'
import type { ShedAfterMs } from './http/limits/shedding.ts'
import { findUnknown } from './unknown-settings.ts'
import { readSecretKeys, type SecretKey } from './webhooks/secrets/secret-box.ts'
import { orderStates, type OrderState } from './vocabulary/order-states.ts'

export interface Config {
  readonly databaseUrl: string
  readonly databaseTls: boolean
  readonly host: string
  readonly port: number
  readonly operatorHost: string
  readonly operatorPort: number | null
  readonly metricsHost: string
  readonly metricsPort: number
  readonly workerPort: number
  readonly workerMetricsPort: number
  readonly processes: number
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly shutdownDelayMs: number
  readonly shutdownGraceMs: number
  readonly keyUseIntervalMs: number
  readonly sessionHours: number
  readonly sessionIdleMinutes: number
  readonly keyDaysMax: number
  readonly keySignIn: boolean
  readonly consoleOrigin: string
  readonly oidcIssuer: string
  readonly oidcClientId: string
  readonly oidcClientSecret: string
  readonly oidcGroupsClaim: string
  readonly oidcRoles: Readonly<Record<string, Role>>
  readonly corsOrigins: readonly string[]
  readonly docs: boolean
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
  readonly trustedProxies: readonly string[]
  readonly failedKeysPerMinute: number | null
  readonly keylessPerSecond: number | null
  readonly operatorRatePerSecond: number
  readonly rateLimit: boolean
  readonly redisUrl: string
  readonly shedAfterMs: ShedAfterMs
  readonly timeZone: string
  readonly logLevel: string
  readonly shippingDaysAheadMax: number
  readonly importRowsMax: number
  readonly confirmedPriceFactor: number
  readonly confirmedQuantityFactor: number
  readonly archiveAfterDays: number
  readonly eraseAddressesAfterDays: number | null
  readonly eventsKeptDays: number
  readonly auditDays: number | null
  readonly ordersKeptDays: number | null
  readonly catalogueChangesKeptDays: number | null
  readonly importsKeptDays: number | null
  readonly webhooksAllowHttp: boolean
  readonly webhooksAllowPrivate: boolean
  readonly webhookLeaseMs: number
  readonly webhookSecretKeys: readonly SecretKey[]
  readonly stateLabels: Readonly<Record<OrderState, string>>
  readonly traceEndpoint: string
  readonly traceRatio: number
  readonly traceServiceName: string
}

interface Setting<T> {
  readonly variable: string
  readonly meaning: string
  /** As it would stand in the environment; undefined when the setting is required. */
  readonly defaultText: string | undefined
  /** Returns the value, or throws a RangeError that completes the sentence "<VARIABLE> must be …". */
  readonly read: (text: string) => T
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export const settings: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  databaseUrl: {
    variable: 'DATABASE_URL',
    meaning:
      'The connection URL of PostgreSQL. With several hosts (`postgres://user@one:5432,two:5432/parts?target_session_attrs=read-write`), the one that accepts changes is used.',
    defaultText: undefined,
    read: (text) => {
      if (!isDatabaseUrl(text)) throw new RangeError('a URL such as postgres://user:password@host:5432/database')
      return text
    },
  },
  databaseTls: {
    variable: 'DATABASE_TLS',
    meaning:
      '`off`: a database on another machine may be reached without TLS. By default this is refused at the start: `DATABASE_URL` needs `sslmode=verify-full`, or another that always encrypts (`require`, `verify-ca`, `no-verify`).',
    defaultText: 'on',
    read: onOrOff,
  },
  host: { variable: 'HOST', meaning: 'The address to listen on.', defaultText: '127.0.0.1', read: nonEmpty },
  port: {
    variable: 'PORT',
    meaning: 'The port of the API; `0` picks a free port.',
    defaultText: '8080',
    read: whole(0, 65_535),
  },
  operatorHost: {
    variable: 'OPERATOR_HOST',
    meaning: 'The address for `OPERATOR_PORT`. Empty: that of `HOST`.',
    defaultText: '',
    read: (text) => text,
  },
  operatorPort: {
    variable: 'OPERATOR_PORT',
    meaning:
      "A port of its own for the operators' side (`/operator/` and `/console/`), which `PORT` then does not serve; `0` picks a free port. Empty: both sides are served on `PORT`.",
    defaultText: '',
    read: (text) => (text === '' ? null : whole(0, 65_535)(text)),
  },
  metricsHost: {
    variable: 'METRICS_HOST',
    meaning: 'The address on which the API and the worker serve their metrics. Empty: that of `HOST`.',
    defaultText: '',
    read: (text) => text,
  },
  metricsPort: {
    variable: 'METRICS_PORT',
    meaning: "The port of the API's Prometheus metrics; `0` picks a free port.",
    defaultText: '9464',
    read: whole(0, 65_535),
  },
  workerPort: {
    variable: 'WORKER_PORT',
    meaning: "The port of the worker's health checks (`/healthz`, `/readyz`); `0` picks a free port.",
    defaultText: '8081',
    read: whole(0, 65_535),
  },
  workerMetricsPort: {
    variable: 'WORKER_METRICS_PORT',
    meaning: "The port of the worker's Prometheus metrics; `0` picks a free port.",
    defaultText: '9465',
    read: whole(0, 65_535),
  },
  processes: {
    variable: 'PROCESSES',
    meaning: 'How many processes serve the API on the same port. Each can use one core; `0` starts one per core.',
    defaultText: '1',
    read: (text) => whole(0, 256)(text) || availableParallelism(),
  },
  poolSize: {
    variable: 'POOL_SIZE',
    meaning:
      'The maximum number of connections to PostgreSQL per process. A few of them serve reads; the others serve changes and are opened as needed, all of them where commits wait for a standby or a slow disk. While statements wait for locks or long lists are read, up to two thirds more are opened.',
    defaultText: '18',
    read: whole(1, 200),
  },
  statementTimeoutMs: {
    variable: 'STATEMENT_TIMEOUT_MS',
    meaning: 'The time limit of a statement, including the wait for a connection.',
    defaultText: '5000',
    read: whole(100, 60_000),
  },
  requestTimeoutMs: {
    variable: 'REQUEST_TIMEOUT_MS',
    meaning: 'The time limit for a client to send a complete request.',
    defaultText: '15000',
    read: whole(1_000, 120_000),
  },
  shutdownDelayMs: {
    variable: 'SHUTDOWN_DELAY_MS',
    meaning:
      'How long after SIGTERM an API process still accepts requests. `/readyz` is 503 at once, so that a load balancer stops sending them. Longer than the interval of its health checks times the number of failures it waits for.',
    defaultText: '5000',
    read: whole(0, 300_000),
  },
  shutdownGraceMs: {
    variable: 'SHUTDOWN_GRACE_MS',
    meaning:
      'How long after SIGTERM, and after `SHUTDOWN_DELAY_MS`, requests in flight, or a batch of the worker, may take to finish.',
    defaultText: '20000',
    read: whole(0, 300_000),
  },
  keyUseIntervalMs: {
    variable: 'KEY_USE_INTERVAL_MS',
    meaning:
      'How often a process records which keys were used. The `last_used_at` of a key may be out of date by this much.',
    defaultText: '60000',
    read: whole(100, 3_600_000),
  },
  sessionHours: {
    variable: 'SESSION_HOURS',
    meaning: 'How many hours after signing in to the console an operator must sign in again.',
    defaultText: '12',
    read: whole(1, 720),
  },
  sessionIdleMinutes: {
    variable: 'SESSION_IDLE_MINUTES',
    meaning: 'After how many minutes without a request a session of the console ends.',
    defaultText: '60',
    read: whole(5, 43_200),
  },
  keyDaysMax: {
    variable: 'KEY_DAYS_MAX',
    meaning:
      'How many days after it was issued a key of a client or an operator works at most, also one that was issued before. A key that is issued without an expiry gets this one; a later one is refused. `0`: any.',
    defaultText: '0',
    read: whole(0, 3_650),
  },
  keySignIn: {
    variable: 'KEY_SIGN_IN',
    meaning:
      '`off`: operators sign in to the console with the accounts of `OIDC_ISSUER` only. Operator keys still work for programs; a session that was started with one lasts until it ends.',
    defaultText: 'on',
    read: onOrOff,
  },
  consoleOrigin: {
    variable: 'CONSOLE_ORIGIN',
    meaning:
      'The origin at which browsers see the console, such as `https://desk.example`. Needed for signing in at an identity provider, and behind a proxy that changes the Host header. Empty: that of the Host header.',
    defaultText: '',
    read: (text) => {
      if (text !== '' && !(isWebOrigin(text) && isPrivate(text)))
        throw new RangeError('an origin such as https://desk.example (http only on this machine)')
      return text
    },
  },
  oidcIssuer: {
    variable: 'OIDC_ISSUER',
    meaning:
      'The OpenID Connect issuer at which operators sign in to the console, such as `https://login.example/realms/desk`. Register `CONSOLE_ORIGIN` with the path `/console/signed-in` as redirect URI there. Empty: operators sign in with keys only.',
    defaultText: '',
    read: (text) => {
      if (text !== '' && !(URL.canParse(text) && isPrivate(text)))
        throw new RangeError('an https address such as https://login.example/realms/desk')
      return text
    },
  },
  oidcClientId: {
    variable: 'OIDC_CLIENT_ID',
    meaning: 'The id of the console at the issuer.',
    defaultText: '',
    read: (text) => text,
  },
  oidcClientSecret: {
    variable: 'OIDC_CLIENT_SECRET',
    meaning: 'The secret of the console at the issuer. Empty: it is registered as a public client.',
    defaultText: '',
    read: (text) => text,
  },
  oidcGroupsClaim: {
    variable: 'OIDC_GROUPS_CLAIM',
    meaning: "The claim that lists a person's groups.",
    defaultText: 'groups',
    read: nonEmpty,
  },
  oidcRoles: {
    variable: 'OIDC_ROLES',
    meaning:
      'The role of each group: a JSON object such as `{"order-desk":"decider"}`. Of several, the last of viewer, decider, cataloguer, admin counts. A person without any is refused.',
    defaultText: '{}',
    read: (text) => {
      const given = parseJson(text)
      const isRoles = (value: unknown): value is Record<string, Role> =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every((role) => typeof role === 'string' && roleNamed(role) !== undefined)
      if (!isRoles(given)) throw new RangeError(`a JSON object from groups to ${roleNames.join(', ')}`)
      return given
    },
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    meaning:
      'The origins whose pages may call the API from a browser, separated by commas. An origin is a scheme and a host, with a port if it is not the default: `https://shop.example`.',
    defaultText: '',
    read: (text) => {
      const origins = text === '' ? [] : text.split(',').map((origin) => origin.trim())
      if (!origins.every(isWebOrigin)) throw new RangeError('origins such as https://shop.example, separated by commas')
      return origins
    },
  },
  docs: {
    variable: 'DOCS',
    meaning: '`off`: the documentation (`/docs/`, `/llms.txt`) and the OpenAPI documents are not served.',
    defaultText: 'on',
    read: onOrOff,
  },
  connectionsMax: {
    variable: 'CONNECTIONS_MAX',
    meaning:
      'The maximum number of HTTP connections per process. Further ones get 503 and are closed. An idle one takes about 20 KB.',
    defaultText: '4000',
    read: whole(1, 100_000),
  },
  connectionsPerAddressMax: {
    variable: 'CONNECTIONS_PER_ADDRESS_MAX',
    meaning:
      'The maximum number of HTTP connections per process from one IPv4 address or one IPv6 network of 64 bits. It does not apply to `TRUSTED_PROXIES`.',
    defaultText: '1000',
    read: whole(1, 100_000),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    meaning:
      'The addresses or networks of proxies in front of the API, separated by commas: `10.0.3.4,10.0.8.0/28`. Requests from them are attributed to the address in `X-Forwarded-For`, so no other machine should be in these networks.',
    defaultText: '',
    read: (text) => {
      const proxies = text === '' ? [] : text.split(',').map((proxy) => proxy.trim())
      if (!proxies.every(isNetwork))
        throw new RangeError('addresses or networks such as 10.0.8.0/28, separated by commas')
      return proxies
    },
  },
  failedKeysPerMinute: {
    variable: 'FAILED_KEYS_PER_MINUTE',
    meaning:
      'How many requests with an invalid key an address may send per minute. Over it, unknown keys get 429 without being looked up. `off` disables the limit.',
    defaultText: '60',
    read: (text) => (text === 'off' ? null : whole(1, 100_000)(text)),
  },
  keylessPerSecond: {
    variable: 'KEYLESS_PER_SECOND',
    meaning:
      'How many requests without a valid key an address may send per second, those for pages and documents included; twenty times as many at once. Over it, they wait for a second and get 429. `off` disables the limit.',
    defaultText: '50',
    read: (text) => (text === 'off' ? null : whole(1, 100_000)(text)),
  },
  operatorRatePerSecond: {
    variable: 'OPERATOR_RATE_PER_SECOND',
    meaning:
      'How many requests an operator may send per second, with all keys and sessions together; twice as many at once.',
    defaultText: '100',
    read: whole(1, 100_000),
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    meaning: '`off` disables the rate limits of all keys and operators, for load tests and the demo.',
    defaultText: 'on',
    read: onOrOff,
  },
  redisUrl: {
    variable: 'REDIS_URL',
    meaning:
      'A Redis in which all processes count the requests of a key together. Without it, or while it is unreachable, a key may reach its rate once per process.',
    defaultText: '',
    read: (text) => {
      if (text !== '' && (!/^rediss?:\/\//.test(text) || !URL.canParse(text)))
        throw new RangeError('a URL such as redis://user:password@host:6379')
      return text
    },
  },
  shedAfterMs: {
    variable: 'SHED_AFTER_MS',
    meaning:
      'Load shedding: the expected wait for a statement, in milliseconds, above which requests get 503. Three limits: for lists, for other requests, and for placing orders and changing or revoking keys. `off` disables it.',
    defaultText: '100,200,400',
    read: (text) => {
      if (text === 'off') return null
      const [lists = 0, others = 0, orders = 0, ...more] = text
        .split(',')
        .map((part) => (/^[1-9]\d{0,4}$/.test(part) ? Number(part) : 0))
      if (more.length > 0 || !(0 < lists && lists <= others && others <= orders))
        throw new RangeError('three numbers in ascending order such as 100,200,400, or off')
      return { lists, others, orders }
    },
  },
  timeZone: {
    variable: 'SERVICE_TIME_ZONE',
    meaning: 'The time zone of all dates and times in requests and responses.',
    defaultText: 'UTC',
    read: (text) => {
      if (!Intl.supportedValuesOf('timeZone').includes(text) && text !== 'UTC')
        throw new RangeError('an IANA time zone such as Europe/Berlin')
      return text
    },
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    meaning: `One of ${logLevels.join(', ')}.`,
    defaultText: 'info',
    read: (text) => {
      if (!logLevels.includes(text)) throw new RangeError(`one of ${logLevels.join(', ')}`)
      return text
    },
  },
  shippingDaysAheadMax: {
    variable: 'SHIPPING_DAYS_AHEAD_MAX',
    meaning: 'How many days ahead a shipping date may be.',
    defaultText: '3650',
    read: whole(1, 3_650),
  },
  confirmedPriceFactor: {
    variable: 'CONFIRMED_PRICE_FACTOR',
    meaning: 'By which factor a price that is set alone may rise or fall before an operator must confirm it. `0`: any.',
    defaultText: '3',
    read: whole(0, 1_000_000),
  },
  confirmedQuantityFactor: {
    variable: 'CONFIRMED_QUANTITY_FACTOR',
    meaning: 'By which factor an adjustment may raise the quantity before an operator must confirm it. `0`: any.',
    defaultText: '10',
    read: whole(0, 1_000_000),
  },
  importRowsMax: {
    variable: 'IMPORT_ROWS_MAX',
    meaning:
      'The maximum number of rows of an import. Finding repeated rows takes about 30 MB of memory per million rows.',
    defaultText: '5000000',
    read: whole(1, 16_000_000),
  },
  archiveAfterDays: {
    variable: 'ARCHIVE_AFTER_DAYS',
    meaning: 'How many days after it was completed or cancelled an order is archived.',
    defaultText: '90',
    read: whole(1, 3_650),
  },
  eraseAddressesAfterDays: {
    variable: 'ERASE_ADDRESSES_AFTER_DAYS',
    meaning:
      "The addresses and texts of an erased contact's orders: `never` keeps them as trading records; a number erases them this many days after the last change of an order that was shipped, completed or cancelled. Open orders keep them. At least 1, because a cancellation can be undone for 24 hours.",
    defaultText: 'never',
    read: (text) => {
      if (text === 'never') return null
      if (!/^[1-9]\d{0,4}$/.test(text)) throw new RangeError('never, or a whole number from 1 to 99999')
      return Number(text)
    },
  },
  eventsKeptDays: {
    variable: 'EVENTS_KEPT_DAYS',
    meaning:
      'How many days events are kept at least. They expire together, so some are kept for up to twice as long. At least 4, because webhooks are retried for 3 days.',
    defaultText: '90',
    read: whole(4, 3_650),
  },
  auditDays: {
    variable: 'AUDIT_DAYS',
    meaning:
      'How many days audit entries are kept. At least 90; `forever` keeps them all. Only whole days that are sealed are dropped.',
    defaultText: 'forever',
    read: wholeOrForever(90, 36_500),
  },
  ordersKeptDays: {
    variable: 'ORDERS_KEPT_DAYS',
    meaning:
      'How many days an order is kept after it was archived, or changed later. At least 90; `forever` keeps them all. An order is kept as long as there are events about it.',
    defaultText: 'forever',
    read: wholeOrForever(90, 36_500),
  },
  catalogueChangesKeptDays: {
    variable: 'CATALOGUE_CHANGES_KEPT_DAYS',
    meaning:
      'How many days the log of changes of goods, prices, stocks and stock levels is kept. At least 90; `forever` keeps all.',
    defaultText: 'forever',
    read: wholeOrForever(90, 36_500),
  },
  importsKeptDays: {
    variable: 'IMPORTS_KEPT_DAYS',
    meaning:
      'How many days an import, its errors and its key are kept after it ended. At least 7, because it can be undone for 7 days; `forever` keeps them all. What it changed is in the log of the catalogue.',
    defaultText: '90',
    read: wholeOrForever(7, 36_500),
  },
  webhooksAllowHttp: {
    variable: 'WEBHOOKS_ALLOW_HTTP',
    meaning: 'Whether webhook endpoints may use plain `http`. Set `true` for development only.',
    defaultText: 'false',
    read: trueOrFalse,
  },
  webhooksAllowPrivate: {
    variable: 'WEBHOOKS_ALLOW_PRIVATE',
    meaning:
      'Whether webhook endpoints may be on this machine or its private network. Set `true` for development only: clients choose the addresses.',
    defaultText: 'false',
    read: trueOrFalse,
  },
  webhookLeaseMs: {
    variable: 'WEBHOOK_LEASE_MS',
    meaning:
      'How long a worker leases a webhook endpoint. Of a killed worker, another one takes over within a few seconds more than this.',
    defaultText: '10000',
    read: whole(1_000, 60_000),
  },
  webhookSecretKeys: {
    variable: 'WEBHOOK_SECRET_KEYS',
    meaning:
      'The keys that encrypt webhook secrets in the database: `NAME:KEY`, separated by commas. A key is 32 random bytes in base64 (`openssl rand -base64 32`). The first encrypts; all of them decrypt. Without any, secrets are stored in plain text.',
    defaultText: '',
    read: (text) => {
      const keys = readSecretKeys(text)
      if (keys === undefined)
        throw new RangeError('different names, each with 32 bytes in base64, such as 2026:…=,2025:…=')
      return keys
    },
  },
  stateLabels: {
    variable: 'STATE_LABELS',
    meaning: 'Labels of order states that replace the English ones: a JSON object from `state_id` to label.',
    defaultText: '{}',
    read: labels,
  },
  traceEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'The OpenTelemetry collector that gets spans of requests, statements and deliveries, as OTLP in JSON over HTTP: `http://127.0.0.1:4318`. Empty: nothing is recorded.',
    defaultText: '',
    read: (text) => {
      if (text !== '' && (!/^https?:\/\//.test(text) || !URL.canParse(text)))
        throw new RangeError('a URL such as http://127.0.0.1:4318')
      return text
    },
  },
  traceRatio: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    meaning:
      'Which part of the requests is recorded, from 0 to 1. A request with a `traceparent` header is recorded if that says so.',
    defaultText: '0.01',
    read: (text) => {
      const ratio = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
      if (!(ratio >= 0 && ratio <= 1)) throw new RangeError('a number from 0 to 1')
      return ratio
    },
  },
  traceServiceName: {
    variable: 'OTEL_SERVICE_NAME',
    meaning: 'The name of the service in traces.',
    defaultText: 'parts-ordering-service',
    read: nonEmpty,
  },
}

type Environment = Readonly<Record<string, string | undefined>>

/** A secret may stand in a file, which `NAME_FILE` names, and its value is never repeated: a URL may hold a password. */
const isSecret = (variable: string): boolean => /_(URL|KEYS|SECRET)$/.test(variable)

/** Reads all settings, or throws one error that names every invalid one, and every misspelt one. */
export function readConfig(given: Environment): Config {
  const values: { -readonly [K in keyof Config]?: Config[K] } = {}
  const problems: string[] = []
  const { environment, failed } = readSecretFiles(given, problems)
  const read = <K extends keyof Config>(name: K, setting: Setting<Config[K]>): void => {
    const { variable, defaultText, read: parse } = setting
    const text = environment[variable] ?? defaultText
    if (failed.has(variable)) return
    if (text === undefined) {
      problems.push(`${variable} must be set.`)
      return
    }
    try {
      values[name] = parse(text)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      problems.push(`${variable} must be ${error.message}, not '${isSecret(variable) ? '…' : text}'.`)
    }
  }
  for (const name of settingNames) read(name, settings[name])
  for (const { name, meant } of findUnknown(environment, variables))
    problems.push(
      `${name} is not a setting. Did you mean ${meant}? If ${name} belongs to another program, set ${meant} too.`,
    )
  problems.push(...incompleteProvider(values))
  if (problems.length > 0 || !isComplete(values)) throw new ConfigError(problems)
  return values
}

/** The environment with the secrets that stand in files, and which of them could not be read. */
function readSecretFiles(given: Environment, problems: string[]): { environment: Environment; failed: Set<string> } {
  const environment = { ...given }
  const failed = new Set<string>()
  for (const variable of secretVariables) {
    const name = `${variable}_FILE`
    const file = given[name]
    if (file === undefined) continue
    delete environment[name]
    try {
      if (given[variable] !== undefined) throw new RangeError(`${variable} is set too. Set one of them`)
      environment[variable] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      failed.add(variable)
      problems.push(`${name} cannot be used: ${(error as Error).message}.`)
    }
  }
  return { environment, failed }
}

/** An identity provider needs several settings together. */
function incompleteProvider({
  oidcIssuer = '',
  oidcClientId,
  oidcRoles,
  consoleOrigin,
  keySignIn,
}: Partial<Config>): string[] {
  if (oidcIssuer === '') return keySignIn === false ? ['KEY_SIGN_IN=off needs OIDC_ISSUER: nobody could sign in.'] : []
  const missing = [
    ...(oidcClientId === '' ? ['OIDC_CLIENT_ID'] : []),
    ...(oidcRoles !== undefined && Object.keys(oidcRoles).length === 0 ? ['OIDC_ROLES'] : []),
    ...(consoleOrigin === '' ? ['CONSOLE_ORIGIN'] : []),
  ]
  return missing.map((variable) => `OIDC_ISSUER needs ${variable} too.`)
}

export const operatorHostOf = ({ host, operatorHost }: Config): string => (operatorHost === '' ? host : operatorHost)

export const metricsHostOf = ({ host, metricsHost }: Pick<Config, 'host' | 'metricsHost'>): string =>
  metricsHost === '' ? host : metricsHost

const settingNames = Object.keys(settings) as (keyof Config)[]

const variables = Object.values(settings).map(({ variable }) => variable)
export const secretVariables = variables.filter(isSecret)

const isComplete = (values: Partial<Config>): values is Config => settingNames.every((name) => name in values)

export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

function isDatabaseUrl(text: string): boolean {
  try {
    return readHosts(text, new Set()).urls.every((url) => URL.canParse(url))
  } catch (error) {
    if (error instanceof UnusableDatabase) return false
    throw error
  }
}

function isWebOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** Over https, or on this machine. */
const isPrivate = (url: string): boolean => /^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1)(?![\w.-])/.test(url)

function nonEmpty(text: string): string {
  if (text === '') throw new RangeError('non-empty')
  return text
}

function whole(min: number, max: number, orElse = ''): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new RangeError(`${orElse}a whole number from ${min} to ${max}`)
    return value
  }
}

function wholeOrForever(min: number, max: number): (text: string) => number | null {
  return (text) => (text === 'forever' ? null : whole(min, max, 'forever, or ')(text))
}

function onOrOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new RangeError('on or off')
  return text === 'on'
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new RangeError('true or false')
  return text === 'true'
}

function labels(text: string): Record<OrderState, string> {
  const english = Object.fromEntries(orderStates.map(({ state_id, value }) => [state_id, value])) as Record<
    OrderState,
    string
  >
  const own = parseJson(text)
  const known = Object.keys(english)
  if (
    typeof own !== 'object' ||
    own === null ||
    !Object.entries(own).every(([id, label]) => known.includes(id) && typeof label === 'string' && label !== '')
  )
    throw new RangeError(`a JSON object of labels for ${known.join(', ')}`)
  return { ...english, ...own }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
