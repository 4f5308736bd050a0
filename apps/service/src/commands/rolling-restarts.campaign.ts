/** Rolling restarts, some with several processes on one port: no request is lost. ROLLING_RESTARTS=100 does a hundred. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { long } from '../testing/racing.ts'
import { checkRollingRestarts } from '../testing/network/rolling-restarts.ts'

const total = Number(process.env['ROLLING_RESTARTS'] ?? (long ? 10 : 1))

for (const [restarts, processes] of [
  [Math.floor(total * 0.8), '1'],
  [Math.ceil(total * 0.2), '2'],
] as const) {
  if (restarts === 0) continue // `npm test` restarts single processes too.
  test(`${restarts} rolling restarts with PROCESSES=${processes} behind a load balancer: no reset, every answer 200`, async (t) => {
    const { requests } = await checkRollingRestarts({ restarts, settings: { PROCESSES: processes } })
    t.diagnostic(`${requests} requests`)
    assert(requests > restarts * 10)
  })
}
