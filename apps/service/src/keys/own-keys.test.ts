import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueClientKey } from './issue-client-key.ts'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from '../app.ts'
import { readConfig } from '../config.ts'
import { addClient, addFixtures, byTheTests } from '../testing/fixtures.ts'
import { makeOperators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

test('a client revokes another of its keys and then the one in use; each is refused at once', async () => {
  const me = await addClient(service)
  const second = await issueClientKey(service.db, { ...me, ...byTheTests })
  const revoke = (key_id: number) => service.request('DELETE', `/api/v1/keys/${key_id}/`, { key: me.key })
  const status = async (key: string): Promise<number> =>
    (await service.request('GET', '/api/v1/carts/', { key })).status
  assert.deepEqual([await status(me.key), await status(second.key)], [200, 200])

  const other = await revoke(second.key_id)
  assert.deepEqual([other.status, other.body.data.key_id, other.body.data.current], [200, second.key_id, false])
  assert.equal(await status(second.key), 401)
  assert.equal((await revoke(second.key_id)).text, other.text)

  const own = await revoke(me.key_id)
  assert.deepEqual([own.status, own.body.data.key_id, own.body.data.current], [200, me.key_id, true])
  assert.equal(await status(me.key), 401)
  const events = await service.sql(
    `select event_type, data, actor from events where client_id = $1 order by event_number desc limit 2`,
    [me.client_id],
  )
  assert.deepEqual(
    events,
    [me.key_id, second.key_id].map((key_id) => ({
      event_type: 'key.revoked',
      data: { key_id, contact_id: me.contact_id },
      actor: `key ${me.key_id}`,
    })),
  )
  await service.checkInvariants()
})

test('an operator revokes a key and erases a contact: the keys are refused at once', async () => {
  const { ok } = await makeOperators(service)
  const me = await addClient(service)
  const ask = (key: string): Promise<Answer> => service.request('GET', '/api/v1/carts/', { key })
  const second = await issueClientKey(service.db, { ...me, ...byTheTests })
  assert.deepEqual([(await ask(me.key)).status, (await ask(second.key)).status], [200, 200])
  await ok('DELETE', `/operator/v1/keys/${second.key_id}/`)
  assert.deepEqual([(await ask(me.key)).status, (await ask(second.key)).status], [200, 401])
  await ok('POST', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`)
  assert.equal((await ask(me.key)).status, 401)
})

test('under overload, revoking a key is refused as late as placing an order', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
  const revoking = [
    ...clientSideRoutes({ config } as FeatureParts),
    ...operatorSideRoutes({ config } as FeatureParts),
  ].filter(({ operationId }) => /^revoke.*Key$/.test(operationId))
  assert.deepEqual(
    revoking.map(({ operationId, urgency }) => ({ operationId, urgency })),
    ['revokeKey', 'revokeClientKey', 'revokeOperatorKey'].map((operationId) => ({ operationId, urgency: 'orders' })),
  )
})
