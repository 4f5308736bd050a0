import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settings } from './config.ts'
import { findUnknown } from './unknown-settings.ts'

const known = Object.values(settings).map(({ variable }) => variable)
const meantBy = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(findUnknown(environment, known).map(({ name, meant }) => [name, meant]))

test('a misspelt setting is recognised', () => {
  const misspelt = {
    DATABASE_URI: 'DATABASE_URL',
    DATABSE_URL: 'DATABASE_URL',
    LOGLEVEL: 'LOG_LEVEL',
    log_level: 'LOG_LEVEL',
    CORS_ORIGIN: 'CORS_ORIGINS',
    RATE_LIMTI: 'RATE_LIMIT',
    WEBHOOK_ALLOW_HTTP: 'WEBHOOKS_ALLOW_HTTP',
    STATEMENT_TIMEOUT: 'STATEMENT_TIMEOUT_MS',
    STATEMENT_TIMEOUT_SECONDS: 'STATEMENT_TIMEOUT_MS',
    ARCHIVE_AFTER_MONTHS: 'ARCHIVE_AFTER_DAYS',
  }
  for (const [name, meant] of Object.entries(misspelt)) assert.deepEqual(meantBy({ [name]: '1' }), { [name]: meant })
})

test("other programs' variables are left alone", () => {
  const others = [
    ['PATH', 'HOME', 'HOSTNAME', 'HOSTS', 'PORTS', 'SPORT', 'POST', 'TZ', 'LANG', 'NODE_ENV', 'NODE_OPTIONS', 'DEBUG'],
    ['PGHOST', 'PGPORT', 'POSTGRES_URL', 'DATABASE_HOST', 'DATABASE_PORT', 'REDIS_HOST', 'LOG_FORMAT', 'LOG_FILE'],
    ['TEST_DATABASE_URL', 'DEMO_DATA_DIR', 'PARTS_URL', 'PARTS_KEY', 'PARTS_KEY_FILE'],
    ['WORKER_METRICS_SERVICE_HOST', 'WORKER_METRICS_SERVICE_PORT_HTTP', 'METRICS_PORT_9464_TCP_ADDR'],
    ['PARTS_API_PORT', 'PARTS_API_PORT_8080_TCP', 'WEBHOOKS_SERVICE_HOST', 'SHUTDOWN_HOOK', 'REQUEST_ID'],
    ['npm_lifecycle_event', 'npm_package_version', 'INIT_CWD', 'KUBERNETES_PORT', 'KUBERNETES_SERVICE_HOST'],
  ].flat()
  for (const name of others) assert.deepEqual(meantBy({ [name]: '1' }), {}, name)
})

test('a variable that resembles a setting is left alone if the setting is set', () => {
  assert.deepEqual(
    meantBy({ DATABASE_URI: '1', DATABASE_URL: '2', STATEMENT_TIMEOUT: '3', STATEMENT_TIMEOUT_MS: '4' }),
    {},
  )
})
