/** A running service with its own database, and an HTTP client for it. */
import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createTestDatabase, type TestDatabase } from './database.ts'
import type { TestOptions } from '../serve-app.ts'
import { openApi } from '../commands/api.ts'
import { openMainDatabase } from '../commands/connection.ts'
import { readConfig, type Config } from '../config.ts'
import { invariantsSql } from '../invariants/check-invariants.ts'
import { makeLogger } from '../log.ts'
import type { Database } from 'pg-statements/database.ts'

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  readonly body: Body
}

/** Loosely typed on purpose: tests compare whole bodies. */
export interface Body {
  status: 'ok' | 'fail'
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
  errors: { code: string; message: string; field?: string; details?: Record<string, unknown> }[]
  request_id: string
  paging?: { next_cursor: string | null }
}

export interface RequestOptions {
  readonly key?: string | undefined
  readonly form?: Readonly<Record<string, string | number | undefined>>
  readonly json?: object | undefined
  readonly body?: string | Buffer
  readonly headers?: http.OutgoingHttpHeaders
}

export interface TestService {
  readonly db: Database
  readonly sql: TestDatabase['query']
  readonly app: FastifyInstance
  readonly databaseUrl: string
  readonly port: number
  readonly log: string[]
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<Answer>
  /** Fails when any invariant of the database is violated. */
  readonly checkInvariants: () => Promise<void>
  readonly close: () => Promise<void>
}

interface ServiceOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** Makes the service connect to its database through a proxy: gets the database's URL and returns the proxy's. */
  readonly through?: (databaseUrl: string) => Promise<string>
  readonly options?: TestOptions
}

export async function startService({ settings = {}, through, options }: ServiceOptions = {}): Promise<TestService> {
  const database = await createTestDatabase()
  // Generous timeouts, so that a busy machine does not fail a race.
  const config: Config = readConfig({
    DATABASE_URL: through ? await through(database.url) : database.url,
    STATEMENT_TIMEOUT_MS: '60000',
    REQUEST_TIMEOUT_MS: '120000',
    IMPORT_ROWS_MAX: '20000',
    RATE_LIMIT: 'off',
    FAILED_KEYS_PER_MINUTE: 'off',
    KEYLESS_PER_SECOND: 'off',
    SHED_AFTER_MS: 'off',
    KEY_USE_INTERVAL_MS: '3600000', // Keeps last_used_at unchanged while a test compares the database before and after.
    ...settings,
  })
  const log: string[] = []
  const db = openMainDatabase(config)
  const opened = new AsyncDisposableStack()
  opened.defer(() => db.close())
  const logger = makeLogger('info', { write: (line) => void log.push(line) })
  const app = await openApi(db, config, logger, opened, {
    failOnUndeclaredRefusal: true,
    sessionUseIntervalMs: 3_600_000, // As KEY_USE_INTERVAL_MS above.
    boundedEntriesMs: 3_600_000,
    checkReadyEachTime: true,
    ...options,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: 128 })
  return {
    db,
    sql: database.query,
    app,
    databaseUrl: database.url,
    port,
    log,
    request: (method, path, options) => send({ agent, port, method, path, ...options }),
    checkInvariants: async () => {
      await database.query('analyze') // As autovacuum would. With no statistics the check takes seconds.
      assert.deepEqual(await database.query(invariantsSql.text), [])
    },
    close: async () => {
      agent.destroy()
      await opened.disposeAsync()
      await database.drop()
    },
  }
}

export function formBody(form: NonNullable<RequestOptions['form']>): string {
  const pairs = Object.entries(form).filter(([, value]) => value !== undefined)
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}

function send(
  options: RequestOptions & { agent: http.Agent; port: number; method: string; path: string },
): Promise<Answer> {
  const json = options.json === undefined ? undefined : JSON.stringify(options.json)
  const body = options.body ?? json ?? (options.form === undefined ? undefined : formBody(options.form))
  const headers: http.OutgoingHttpHeaders = {
    ...(options.key === undefined ? {} : { authorization: options.key }),
    ...(options.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: options.port,
        agent: options.agent,
        method: options.method,
        path: options.path,
        headers,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== ''
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: (isJson ? JSON.parse(text) : {}) as Body,
          })
        })
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
