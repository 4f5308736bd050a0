import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../testing/service.ts'
import { addClient, addFixtures } from '../testing/fixtures.ts'

test('the service shows its time in its zone, and what the key of the request may do, whatever its scopes', async (t) => {
  const service = await startService({ settings: { SERVICE_TIME_ZONE: 'Asia/Tokyo', RATE_LIMIT: 'on' } })
  t.after(() => service.close())
  await addFixtures(service)
  const me = await addClient(service, { name: 'Werkstatt Müller', scopes: ['events:read'] })
  await service.sql(
    `update api_keys set rate_per_second = 7, rate_burst = 9, expires_at = '2036-01-01 00:00:00+09' where key_id = $1`,
    [me.key_id],
  )
  const before = Temporal.Now.plainDateTimeISO('Asia/Tokyo')
  const { status, body } = await service.request('GET', '/api/v1/service', { key: me.key })
  assert.equal(status, 200)
  const { now, time_zone, client_name, key } = body.data
  assert.equal(time_zone, 'Asia/Tokyo')
  const seconds = Temporal.PlainDateTime.from(now.replace(' ', 'T')).since(before).total('seconds')
  assert(seconds > -2 && seconds < 60, `${now} is ${seconds} s after ${before.toString()}`)
  assert.equal(client_name, 'Werkstatt Müller')
  assert.deepEqual(key, {
    key_id: me.key_id,
    scopes: ['events:read'],
    expires_at: '2036-01-01 00:00:00',
    rate_per_second: 7,
    rate_burst: 9,
  })
})
