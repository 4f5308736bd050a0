/** KEY_DAYS_MAX: how old a key may become. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService({ settings: { KEY_DAYS_MAX: '90' } })
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

async function issuing(): Promise<{ table: string; issue: (expires_on?: string) => Promise<Answer> }[]> {
  const { client_id, contact_id } = await addClient(service)
  const send = (path: string, json: object): Promise<Answer> =>
    service.request('POST', path, { key: operators.keys.admin, json })
  const keys = `/operator/v1/clients/${client_id}/keys/`
  return [
    { table: 'api_keys', issue: (expires_on) => send(keys, { contact_id, expires_on }) },
    {
      table: 'operator_keys',
      issue: (expires_on) => send('/operator/v1/operator-keys/', { operator_name: 'A', role: 'viewer', expires_on }),
    },
  ]
}

test('a key is issued with the longest age by default, with an earlier expiry, and not with a later one', async () => {
  for (const { table, issue } of await issuing()) {
    const expiry = async (expires_on?: string): Promise<unknown> => {
      const { body, text } = await issue(expires_on)
      assert.equal(body.status, 'ok', text)
      const [row] = await service.sql(
        `select extract(day from expires_at - created_at)::int as days, (expires_at at time zone 'UTC')::date::text as day
         from ${table} where key_id = $1`,
        [body.data.key_id],
      )
      return expires_on === undefined ? row?.['days'] : row?.['day']
    }
    assert.equal(await expiry(), 90)
    assert.equal(await expiry(inDays(30)), inDays(30))
    const count = `select count(*) from ${table}`
    const stored = await service.sql(count)
    const refused = await issue(inDays(92))
    assert.deepEqual(
      [refused.status, refused.body.errors],
      [
        400,
        [
          {
            code: 'field_invalid',
            field: 'expires_on',
            message: refused.body.errors[0]?.message,
            details: { value: inDays(92), rule: 'a day at most 90 days ahead' },
          },
        ],
      ],
    )
    assert.deepEqual(await service.sql(count), stored)
  }
})

test('an older key is refused when it reaches the age, and so is a session that was started with it', async () => {
  const me = await addClient(service)
  const session = await service.request('POST', '/operator/v1/sessions/', { key: operators.keys.viewer, json: {} })
  const cookie = session.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const [operator] = await service.sql(
    `select k.key_id from operator_keys k join operators o using (operator_id) where o.operator_name = 'Test viewer'`,
  )
  const aged = async (age: string): Promise<number[]> => {
    const change = `set created_at = now() - interval '${age}', changed_at = now(), expires_at = null where key_id = $1`
    await service.sql(`update api_keys ${change}`, [me.key_id])
    await service.sql(`update operator_keys ${change}`, [operator?.['key_id']])
    // A change by an operator has this process apply what was changed.
    await service.request('POST', '/operator/v1/me/sign-out/', { key: operators.keys.admin, json: {} })
    const asked = [
      service.request('GET', '/api/v1/carts/', { key: me.key }),
      service.request('GET', '/operator/v1/me/', { key: operators.keys.viewer }),
      service.request('GET', '/operator/v1/me/', { headers: { cookie } }),
    ]
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  assert.deepEqual(await aged('89 days 23 hours'), [200, 200, 200])
  assert.deepEqual(await aged('90 days'), [401, 401, 401])
})
