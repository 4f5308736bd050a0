import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { makeWorld } from '../../testing/world.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const entries = async (query = ''): Promise<unknown[][]> =>
  (await operators.ok('GET', `/operator/v1/audit/${query}`)).map((entry: Record<string, unknown>) => [
    entry['audit_action'],
    entry['key_id'],
    entry['client_name'],
    entry['contact_name'],
    entry['operator_name'],
    entry['actor'],
  ])

const keyIdOf = (key: string): number => Number(/^pso_(\d+)_/.exec(key)?.[1])

test('issuing and revoking keys of both kinds is recorded with names, once, and is listed newest first', async () => {
  const { me } = await makeWorld(service)
  const admin = `operator 4 key ${keyIdOf(operators.keys.admin)}, Test admin`
  const issued = await operators.ok('POST', `/operator/v1/clients/${me.client_id}/keys/`, { contact_id: me.contact_id })
  const colleague = await operators.ok('POST', '/operator/v1/operator-keys/', {
    operator_name: 'Anna Berg',
    role: 'viewer',
  })
  for (let n = 0; n < 2; n++) {
    await operators.ok('DELETE', `/operator/v1/keys/${issued.key_id}/`)
    await operators.ok('DELETE', `/operator/v1/operator-keys/${colleague.key_id}/`)
  }
  await service.request('DELETE', `/api/v1/keys/${me.key_id}/`, { key: me.key })
  const client = ['Garage Weber', 'Anna Weber', null]
  const operator = [null, null, 'Anna Berg']
  const recorded = [
    ['key_revoked', me.key_id, ...client, `key ${me.key_id}`],
    ['operator_key_revoked', colleague.key_id, ...operator, admin],
    ['key_revoked', issued.key_id, ...client, admin],
    ['operator_key_issued', colleague.key_id, ...operator, admin],
    ['key_issued', issued.key_id, ...client, admin],
    ['key_issued', me.key_id, ...client, 'the tests'],
  ]
  assert.deepEqual(await entries('?limit=6'), recorded)
  assert.deepEqual(
    await entries(`?client_id=${me.client_id}`),
    recorded.filter(([action]) => !String(action).startsWith('operator')),
  )
})

test('what an operator did is found by its id: with a key, in a session, and for a client; and with its role and expiry', async () => {
  const { me } = await makeWorld(service)
  const { key_id, key } = await operators.ok('POST', '/operator/v1/operator-keys/', {
    operator_name: 'Carla',
    role: 'decider',
    expires_on: '2099-01-01',
  })
  const { operator_id } = (await service.request('GET', '/operator/v1/me/', { key })).body.data
  const signedIn = await service.request('POST', '/operator/v1/sessions/', { key, json: {} })
  const { session_id } = signedIn.body.data
  const kept = await service.request('POST', `/operator/v1/clients/${me.client_id}/carts/`, {
    key,
    json: { name: 'X' },
  })
  assert.equal(kept.status, 200, kept.text)
  const found = await operators.ok('GET', `/operator/v1/audit/?operator_id=${operator_id}`)
  const actor = `operator ${operator_id} key ${key_id}`
  assert.deepEqual(
    found.map((one: Record<string, unknown>) => [one['audit_action'], one['actor'], one['session_id']]),
    [
      ['cart_created', `${actor}, Carla, for client ${me.client_id}`, null],
      ['session_started', `${actor}, Carla`, session_id],
    ],
  )
  assert.equal(found[1].new_value.role, 'decider')
  assert.match(found[1].new_value.expires_at, /^20\d\d-/)
  const [issued] = await operators.ok('GET', '/operator/v1/audit/?audit_action=operator_key_issued&limit=1')
  assert.deepEqual(issued.new_value, { role: 'decider', expires_at: '2099-01-01T00:00:00+00:00' })
  for (const filter of [`client_id=${me.client_id}`, 'audit_action=cart_created', 'after=0']) {
    const both = await operators.ok('GET', `/operator/v1/audit/?operator_id=${operator_id}&${filter}`)
    assert.deepEqual(both, filter === 'after=0' ? found.toReversed() : found.slice(0, 1), filter)
  }
})

test('two revocations of one key at the same time are one entry, and both get the same answer', async () => {
  const { key_id } = await operators.ok('POST', '/operator/v1/operator-keys/', { operator_name: 'Two', role: 'viewer' })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => operators.ok('DELETE', `/operator/v1/operator-keys/${key_id}/`)),
  )
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  const revoked = (await entries()).filter(([action, id]) => action === 'operator_key_revoked' && id === key_id)
  assert.equal(revoked.length, 1)
})

test('pages of the audit log follow each other without gaps, with and without a client', async () => {
  const { me } = await makeWorld(service)
  for (let n = 0; n < 5; n++)
    await operators.ok('POST', `/operator/v1/clients/${me.client_id}/keys/`, { contact_id: me.contact_id })
  for (const filter of ['', `client_id=${me.client_id}&`]) {
    const all = await operators.ok('GET', `/operator/v1/audit/?${filter}limit=6`)
    const paged: unknown[] = []
    let cursor = ''
    for (let page = 0; page < 3; page++) {
      const path = `/operator/v1/audit/?${filter}limit=2${cursor}`
      const { body } = await service.request('GET', path, { key: operators.keys.admin })
      paged.push(...body.data)
      cursor = `&cursor=${encodeURIComponent(body.paging?.next_cursor ?? '')}`
    }
    assert.deepEqual(paged, all)
  }
})
