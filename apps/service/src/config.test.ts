import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

test('all invalid settings are reported together, and URLs and keys, which are secret, are not repeated', () => {
  const wrong = {
    DATABASE_URL: 'mysql://root:secret@db/parts',
    REDIS_URL: 'http://:secret@cache',
    CORS_ORIGINS: 'https://shop.example/',
    DOCS: 'no',
    CONNECTIONS_MAX: '0',
    CONNECTIONS_PER_ADDRESS_MAX: 'all',
    TRUSTED_PROXIES: 'proxy.example',
    FAILED_KEYS_PER_MINUTE: '0',
    RATE_LIMIT: 'maybe',
    SHED_AFTER_MS: '30,20,300',
    PORT: '80a',
    OPERATOR_PORT: 'x',
    POOL_SIZE: '0',
    EVENTS_KEPT_DAYS: '3', // Webhooks are retried for that long.
    ERASE_ADDRESSES_AFTER_DAYS: '0', // A cancellation can be undone for a day.
    SERVICE_TIME_ZONE: 'Mars/Olympus',
    LOG_LEVEL: 'loud',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_SERVICE_NAME: '',
    WEBHOOK_SECRET_KEYS: '2026:secret',
    STATE_LABELS: '{"new":""}',
  }
  assert.throws(
    () => readConfig(wrong),
    (error: unknown) => {
      assert(error instanceof ConfigError)
      for (const name of Object.keys(wrong)) assert(error.message.includes(`${name} must be`), name)
      assert(!error.message.includes('secret'))
      return true
    },
  )
  assert.throws(() => readConfig({}), /DATABASE_URL must be set/)
})

test('each secret may stand in a file, without its last line break; a file that fails is named, and its content is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-secrets-'))
  try {
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const key = Buffer.alloc(32, 7).toString('base64')
    const files = {
      DATABASE_URL_FILE: file('url', 'postgres://u:p@db/parts\n'),
      REDIS_URL_FILE: file('redis', 'redis://cache:6379\r\n'),
      OIDC_CLIENT_SECRET_FILE: file('oidc', ' two words \n\n'),
      WEBHOOK_SECRET_KEYS_FILE: file('keys', `2026:${key}`),
    }
    const config = readConfig({ ...files, DATABASE_URI: 'of another program' })
    assert.equal(config.databaseUrl, 'postgres://u:p@db/parts')
    assert.equal(config.redisUrl, 'redis://cache:6379')
    assert.equal(config.oidcClientSecret, ' two words \n')
    assert.deepEqual(
      config.webhookSecretKeys,
      readConfig({ DATABASE_URL: 'postgres://db/parts', WEBHOOK_SECRET_KEYS: `2026:${key}` }).webhookSecretKeys,
    )

    const wrong = {
      ...files,
      DATABASE_URL_FILE: join(folder, 'missing'),
      REDIS_URL: 'redis://other:6379',
      OIDC_CLIENT_SECRET_FILE: folder,
      WEBHOOK_SECRET_KEYS_FILE: file('bad', '2026:confidential'),
    }
    assert.throws(
      () => readConfig(wrong),
      (error: unknown) => {
        assert(error instanceof ConfigError)
        const [database = '', provider = '', redis = '', keys = '', ...more] = error.message
          .split('\n')
          .slice(1)
          .toSorted()
        assert.match(database, /^ {2}DATABASE_URL_FILE cannot be used: ENOENT.*missing'\.$/)
        assert.match(provider, /^ {2}OIDC_CLIENT_SECRET_FILE cannot be used: EISDIR/)
        assert.equal(redis, '  REDIS_URL_FILE cannot be used: REDIS_URL is set too. Set one of them.')
        assert.match(keys, /^ {2}WEBHOOK_SECRET_KEYS must be .*, not '…'\.$/)
        assert.deepEqual(more, [])
        return true
      },
    )
    // A setting that is no secret has no file.
    assert.throws(() => readConfig({ ...files, SHUTDOWN_DELAY_MS_FILE: '5' }), /not a setting/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the database URL may name several hosts', () => {
  const read = (DATABASE_URL: string): string => readConfig({ DATABASE_URL }).databaseUrl
  for (const url of [
    'postgres://u:p@one:5432,two:5433/parts?target_session_attrs=read-write',
    'postgres://u@[::1]:5432/parts',
    'postgres:///parts?host=/run/postgresql',
  ])
    assert.equal(read(url), url)
  for (const bad of ['postgres://u@one,,two/parts', 'postgres://u@one:port/parts', 'postgres://u@o ne/parts'])
    assert.throws(() => read(bad), ConfigError)
})

test('the label of a single order state can be replaced', () => {
  const { stateLabels } = readConfig({ DATABASE_URL: 'postgres://localhost/parts', STATE_LABELS: '{"new":"Neu"}' })
  assert.deepEqual([stateLabels.new, stateLabels.shipped], ['Neu', 'Shipped'])
})

test('addresses are kept unless a number of days is set', () => {
  const read = (days?: string): number | null =>
    readConfig({
      DATABASE_URL: 'postgres://localhost/parts',
      ...(days !== undefined && { ERASE_ADDRESSES_AFTER_DAYS: days }),
    }).eraseAddressesAfterDays
  assert.deepEqual([read(), read('never'), read('1'), read('3288')], [null, null, 1, 3288])
  for (const bad of ['', 'always', '1.5', '100000']) assert.throws(() => read(bad), ConfigError, bad)
})

test('what is kept for ever can be kept for a number of days instead; imports are kept for 90 days', () => {
  const read = (settings: Record<string, string> = {}): (number | null)[] => {
    const config = readConfig({ DATABASE_URL: 'postgres://localhost/parts', ...settings })
    return [config.ordersKeptDays, config.catalogueChangesKeptDays, config.auditDays, config.importsKeptDays]
  }
  const all = (days: string, imports = days): Record<string, string> => ({
    ORDERS_KEPT_DAYS: days,
    CATALOGUE_CHANGES_KEPT_DAYS: days,
    AUDIT_DAYS: days,
    IMPORTS_KEPT_DAYS: imports,
  })
  assert.deepEqual(read(), [null, null, null, 90])
  assert.deepEqual(read(all('forever')), [null, null, null, null])
  assert.deepEqual(read(all('90', '7')), [90, 90, 90, 7])
  for (const [name, days] of Object.entries(all('89', '6')))
    assert.throws(() => read({ [name]: days }), new RegExp(`${name} must be forever, or a whole number from`))
})

test('origins are a list of schemes and hosts, and nothing more', () => {
  const read = (CORS_ORIGINS: string): readonly string[] =>
    readConfig({ DATABASE_URL: 'postgres://localhost/parts', CORS_ORIGINS }).corsOrigins
  assert.deepEqual(read(''), [])
  assert.deepEqual(read('https://a.example, http://localhost:5173'), ['https://a.example', 'http://localhost:5173'])
  for (const bad of [
    '*',
    'null',
    'a.example',
    'https://a.example/',
    'https://A.example',
    'https://a.example:443',
    'ftp://a',
    ',',
  ])
    assert.throws(() => read(bad), ConfigError, bad)
})
