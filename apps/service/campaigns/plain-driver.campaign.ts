/** The same tests on the plain driver: what clients see does not depend on how statements travel. */
import { long } from '../src/testing/racing.ts'

process.env['TEST_DATABASE_DRIVER'] = 'pg'

await import('../src/routes.test.ts')
await import('../src/events/read-events.test.ts')
if (long) {
  await import('../src/operator-routes.test.ts')
  await import('../src/orders/placing/races.test.ts')
}
