import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordExpiredKeys } from './record-expired-keys.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
})
after(() => service.close())

const record = (): Promise<number[]> => Array.fromAsync(recordExpiredKeys(service.db, { request_id: 'run-1' }))

const issue = async ({ client_id, contact_id }: TestClient): Promise<number> =>
  (await operators.ok('POST', `/operator/v1/clients/${client_id}/keys/`, { contact_id })).key_id as number

const expire = (key_ids: readonly number[], ago: string): Promise<unknown> =>
  service.sql('update api_keys set expires_at = now() - $2::interval where key_id = any($1)', [key_ids, ago])

const expiryEvents = ({ client_id }: TestClient): Promise<Record<string, unknown>[]> =>
  service.sql(
    `select data, actor, request_id from events where client_id = $1 and event_type = 'key.expired' order by event_number`,
    [client_id],
  )

test("an expired key is recorded in its client's event log once; a key that has not expired or was revoked before is not", async () => {
  const [expired, lasting, revoked] = [await issue(me), await issue(me), await issue(me)]
  await issue(me) // Never expires.
  await operators.ok('DELETE', `/operator/v1/keys/${revoked}/`)
  await expire([expired, revoked], '0 seconds')
  await expire([lasting], '-1 minute')
  const event = { data: { key_id: expired, contact_id: me.contact_id }, actor: 'worker', request_id: 'run-1' }
  assert.deepEqual(await record(), [1])
  assert.deepEqual(await expiryEvents(me), [event])
  assert.deepEqual(await record(), [])
  assert.deepEqual(await expiryEvents(me), [event])
  await service.checkInvariants()
})

test('several runs at once record each of many keys exactly once', async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, () => addClient(service)))
  await service.sql(
    `insert into api_keys (client_id, contact_id, digest, scopes, expires_at)
     select client_id, contact_id, sha256(n::text::bytea), '{}', now() - interval '1 hour'
     from contacts, generate_series(1, 100) n where client_id = any($1)`,
    [clients.map(({ client_id }) => client_id)],
  )
  const batches = (await Promise.all([record(), record(), record()])).flat()
  assert.equal(
    batches.reduce((sum, batch) => sum + batch, 0),
    1_200,
  )
  for (const client of clients) {
    const keys = (await expiryEvents(client)).map(({ data }) => (data as { key_id: number }).key_id)
    assert.deepEqual([keys.length, new Set(keys).size], [100, 100])
  }
  await service.checkInvariants()
})
