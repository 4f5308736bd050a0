/** Orders are placed and events are read while the tables of events are turned. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expireEvents } from './expire-events.ts'
import { rounds } from '../../testing/racing.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

test('no order fails and no number is missing or used twice while tables are set aside and dropped', async () => {
  const clients = await Promise.all(Array.from({ length: 6 }, () => addClient(service)))
  const turned = new AbortController()
  const trading = clients.map(async (me) => {
    const shop = shopper(service, me)
    let placed = 0
    let seen = 0 // The number up to which the client has read.
    while (!turned.signal.aborted) {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 1 })
      await shop.order(cart_id)
      await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
      placed++
      const answer = await service.request('GET', `/api/v1/events/?after=${seen}`, { key: me.key })
      if (answer.status === 410) seen = Number(answer.body.errors[0]?.details?.['first_event_number']) - 1
      else {
        assert.equal(answer.status, 200, answer.text)
        for (const { event_number } of answer.body.data as { event_number: number }[])
          assert.equal(event_number, ++seen)
      }
      await service.sql('update stock_levels set on_hand = on_hand + 1 where stock_id = 1 and item_id = 1')
    }
    return placed
  })
  const before = await service.sql(`select 'events'::text::regclass::oid::int as oid`)
  try {
    for (let n = 0; n < rounds(200); n++) {
      // Nothing is younger in events_before, and the oldest of the others is old enough.
      await service.sql(`update events set event_datetime = now() - interval '91 days'`)
      const runs = [1, 2].map(() => Array.fromAsync(expireEvents(service.db, { kept_days: 90 })))
      for (const { status, reason } of (await Promise.allSettled(runs)) as { status: string; reason?: unknown }[])
        assert(status === 'fulfilled' || String(reason).includes('in use by'), String(reason))
    }
  } finally {
    turned.abort()
  }
  const placed = await Promise.all(trading)
  assert(placed.every((count) => count > 0))
  assert.notDeepEqual(await service.sql(`select 'events'::text::regclass::oid::int as oid`), before)
  const [row] = await service.sql('select sum(event_number)::int as numbers, count(*)::int as clients from clients')
  assert.equal(row?.['numbers'], placed.reduce((sum, count) => sum + count) + Number(row?.['clients'])) // And a key each.
  // What the invariants expect of an order without events: that it is older than those that are kept.
  await service.sql(`update orders o set order_create_datetime = now() - interval '92 days'
    where not exists (select 1 from events e where e.order_id = o.order_id)`)
  await service.checkInvariants()
})
