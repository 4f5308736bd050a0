import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from 'prom-client'
import { roleNames } from '../../identity/actor.ts'
import { lastEvents } from '../../testing/events.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators } from '../../testing/operators.ts'
import { startService } from '../../testing/service.ts'
import { makeWorld } from '../../testing/world.ts'

test('only admins see the whole URL of an endpoint; the log and the metrics never contain it', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  await addFixtures(service)
  const operators = await makeOperators(service)
  const { me, shop } = await makeWorld(service)
  const url = 'https://dealer.example:8443/hooks/T0K3N?token=T0K3N'
  const { webhook_id } = await shop.ok('PUT', '/api/v1/webhooks/', { url })
  const seen = Object.fromEntries(
    await Promise.all(
      roleNames.map(async (role) => {
        const { body, text } = await service.request('GET', '/operator/v1/webhooks/', { key: operators.keys[role] })
        assert.equal(text.includes('T0K3N'), role === 'admin', role)
        return [role, body.data[0].url] as const
      }),
    ),
  )
  const origin = 'https://dealer.example:8443/…'
  assert.deepEqual(seen, { viewer: origin, decider: origin, cataloguer: origin, admin: url })
  const paused = await operators.ok('POST', `/operator/v1/webhooks/${webhook_id}/pause/`, { text: 'Wait.' })
  assert.equal(paused.url, url)
  assert.equal((await shop.ok('GET', `/api/v1/webhooks/${webhook_id}/`)).url, url) // Its owner sees it.

  for (const bad of ['http://dealer.example/T0K3N', 'https://10.0.0.1/T0K3N'])
    assert.equal((await service.request('PUT', '/api/v1/webhooks/', { key: me.key, form: { url: bad } })).status, 400)
  await lastEvents(service, operators)
  const feed = await service.request('GET', '/operator/v1/events/', { key: operators.keys.viewer })
  assert(feed.text.includes('webhook.created') && !feed.text.includes('T0K3N'))
  assert(service.log.some((line) => line.includes('/operator/v1/webhooks/')))
  assert(!service.log.join('').includes('T0K3N'))
  assert(!(await register.metrics()).includes('dealer.example'))
})
