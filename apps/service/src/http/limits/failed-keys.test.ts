import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeApiKey } from '../../identity/authenticate.ts'
import { metricValue } from '../../testing/metrics.ts'
import { addClient, addFixtures, addOlderKey, type TestClient } from '../../testing/fixtures.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let me: TestClient

before(async () => {
  service = await startService({ settings: { FAILED_KEYS_PER_MINUTE: '20', TRUSTED_PROXIES: '127.0.0.1' } })
  await addFixtures(service)
  me = await addClient(service)
})
after(() => service.close())

const get = (key: string, address: string, path = '/api/v1/carts/'): Promise<Answer> =>
  service.request('GET', path, { key, headers: { 'x-forwarded-for': address } })
const linesOf = (address: string): Record<string, unknown>[] =>
  service.log.filter((line) => line.includes('invalid key')).map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['address'] === address) // prettier-ignore

test('an invalid key is logged with its id and the address, and never itself', async () => {
  const unknown = makeApiKey(987_654)
  const operators = makeApiKey(12, 'pso')
  assert.equal((await get(unknown, '192.0.2.1')).status, 401)
  assert.equal((await get(operators, '192.0.2.1', '/operator/v1/inbox/')).status, 401)
  assert.equal((await get('nonsense', '192.0.2.1')).status, 401)
  assert.equal((await service.request('GET', '/api/v1/carts/')).status, 401)
  assert.deepEqual(
    linesOf('192.0.2.1').map(({ level, key_id, msg }) => [level, key_id, msg]),
    [
      ['warn', 987_654, 'invalid key'],
      ['warn', 12, 'invalid key'],
      ['warn', undefined, 'invalid key'],
    ],
  )
  for (const key of [unknown, operators]) assert(!service.log.join('').includes(key.split('_')[2] ?? ''))
})

test('over the limit, keys that are not known are not looked up; known ones pass, and other addresses are not limited', async () => {
  const address = '198.51.100.7'
  const throttled = (): Promise<number> => metricValue('parts_failed_keys_total', { outcome: 'throttled' })
  const throttledBefore = await throttled()
  const [newcomer, guessed] = [await addOlderKey(service, me), makeApiKey(me.key_id)]
  assert.equal((await get(me.key, address)).status, 200)
  const statuses: number[] = []
  for (let n = 0; n < 100; n++) statuses.push((await get(makeApiKey(1_000_000 + n), address)).status)
  const checked = statuses.filter((status) => status === 401).length
  assert(checked >= 20 && checked < 60, `${checked} were checked`)
  assert(linesOf(address).length <= checked)

  const refused = await get(newcomer, address)
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [429, 'too_many_failed_keys'])
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal((await get(me.key, address)).status, 200)
  assert.equal((await get(guessed, address)).status, 401, 'Its id is known, and the comparison needs no look-up.')
  assert.equal((await get(newcomer, '198.51.100.8')).status, 200)
  assert.equal((await get(newcomer, address)).status, 200, 'It is known now.')
  assert.equal((await throttled()) - throttledBefore, 100 - checked + 1)
})
