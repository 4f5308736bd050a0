import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRollingRestarts } from '../testing/network/rolling-restarts.ts'

test('rolling restarts behind a load balancer lose no request', async () => {
  assert((await checkRollingRestarts({ restarts: 2 })).requests > 20)
})
