import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureConsole, pageNames, refuseUnknownPages } from './console.ts'
import { WrongUse } from '../workload.ts'
import { withoutBrowser } from '../../../apps/service/src/testing/network/browser.ts'
import { addClient, addFixtures, shopper } from '../../../apps/service/src/testing/fixtures.ts'
import { startService } from '../../../apps/service/src/testing/service.ts'

test('every page of the console is opened in both ways and measured', { skip: withoutBrowser }, async () => {
  const service = await startService()
  try {
    await addFixtures(service)
    const shop = shopper(service, await addClient(service))
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 2 })
    await shop.order(cart_id)
    const measured = await measureConsole(service.databaseUrl, { rounds: 1, only: pageNames })
    assert.deepEqual(
      measured.map(({ page }) => page),
      pageNames,
    )
    for (const { page, ...times } of measured)
      for (const [name, ms] of Object.entries(times)) assert(ms > 0 && ms < 60_000, `${page} ${name}: ${ms}`)
  } finally {
    await service.close()
  }
})

test('an unknown page is refused', () => {
  assert.throws(() => refuseUnknownPages(['inbox', 'basement']), WrongUse)
})
