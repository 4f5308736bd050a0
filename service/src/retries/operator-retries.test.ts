import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepIdempotencyKeys } from './sweep-idempotency-keys.ts'
import { addClient, addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const post = (path: string, json: object, idempotencyKey: string, key = operators.keys.admin): Promise<Answer> =>
  service.request('POST', `/operator/v1/${path}`, { key, json, headers: { 'idempotency-key': idempotencyKey } })

const client = {
  client_name: 'Lindner Car Service',
  contact_name: 'Marta Lindner',
  contract_name: 'Supply contract',
  price_list_id: 1,
  stock_ids: [1],
}

const countOf = async (table: string): Promise<number> =>
  Number((await service.sql(`select count(*) from ${table}`))[0]?.['count'])

test('32 concurrent requests with one key create one client, and get 32 equal answers with its contact and contract', async () => {
  const before = await countOf('clients')
  const answers = await Promise.all(Array.from({ length: 32 }, () => post('clients/', client, 'one')))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(await countOf('clients'), before + 1)
  const [first] = answers
  assert(first)
  const { client_id, contact_id, contract_id } = first.body.data
  const created = await operators.ok('GET', `/operator/v1/clients/${client_id}/`)
  assert.deepEqual([created.contacts[0].contact_id, created.contracts[0].contract_id], [contact_id, contract_id])
  await service.checkInvariants()
})

test('a retry gets the first answer even if the contract has changed since; another operator does not', async () => {
  const { client_id } = await addClient(service)
  const contract = { contract_name: 'Winter', price_list_id: 1, contract_limit: 0.125 }
  const first = await post(`clients/${client_id}/contracts/`, contract, 'winter')
  assert.equal(first.status, 200)
  const { contract_id } = first.body.data
  await operators.ok('PATCH', `/operator/v1/clients/${client_id}/contracts/${contract_id}/`, { contract_name: 'Ice' })
  assert.equal((await post(`clients/${client_id}/contracts/`, contract, 'winter')).text, first.text)
  const other = await makeOperators(service)
  const theirs = await post(`clients/${client_id}/contracts/`, contract, 'winter', other.keys.admin)
  assert.notEqual(theirs.body.data.contract_id, contract_id)
})

test('32 concurrent requests with one key issue one key, which is shown once and stored nowhere', async () => {
  const { client_id, contact_id } = await addClient(service)
  const before = await countOf('api_keys')
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => post(`clients/${client_id}/keys/`, { contact_id }, 'one-key')),
  )
  const [issued, ...others] = answers.toSorted((a, b) => a.status - b.status)
  assert.equal(issued?.status, 200)
  const { key_id, key } = issued.body.data
  for (const { status, body } of others)
    assert.deepEqual([status, body.errors[0]?.code, body.errors[0]?.details], [409, 'key_already_issued', { key_id }])
  assert.equal(await countOf('api_keys'), before + 1)
  const stored = await service.sql('select answer::text from operator_idempotency_keys')
  assert(!stored.some(({ answer }) => String(answer).includes(key)))
})

test('answers expire after 24 hours, and are deleted then', async () => {
  const { client_id } = await addClient(service)
  const add = (): Promise<Answer> => post(`clients/${client_id}/contacts/`, { contact_name: 'Paula Weber' }, 'paula')
  const first = await add()
  const age = (): Promise<unknown> =>
    service.sql(`update operator_idempotency_keys set created_at = now() - interval '24 hours'`)
  await age()
  const second = await add()
  assert.notEqual(second.text, first.text)
  assert.equal((await add()).text, second.text)
  await age()
  for await (const _ of sweepIdempotencyKeys(service.db));
  assert.equal(await countOf('operator_idempotency_keys'), 0)
})
