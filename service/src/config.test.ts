import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

test('all invalid settings are reported together, and URLs, which may hold passwords, are not repeated', () => {
  const wrong = {
    DATABASE_URL: 'mysql://root:secret@db/parts',
    DATABASE_DRIVER: 'odbc',
    REDIS_URL: 'http://:secret@cache',
    RATE_LIMIT: 'maybe',
    SHED_AFTER_MS: '30,20,300',
    PORT: '80a',
    POOL_SIZE: '0',
    EVENTS_KEPT_DAYS: '3', // Webhooks are retried for that long.
    SERVICE_TIME_ZONE: 'Mars/Olympus',
    LOG_LEVEL: 'loud',
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

test('the label of a single order state can be replaced', () => {
  const { stateLabels } = readConfig({ DATABASE_URL: 'postgres://localhost/parts', STATE_LABELS: '{"new":"Neu"}' })
  assert.deepEqual([stateLabels.new, stateLabels.shipped], ['Neu', 'Shipped'])
})
