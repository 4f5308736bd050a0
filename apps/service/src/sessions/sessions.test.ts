/** Sessions of people: the cookie, its origin, its end. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators
before(async () => {
  service = await startService({ settings: { KEY_USE_INTERVAL_MS: '200' } })
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const own = (): string => `http://127.0.0.1:${service.port}`

async function signIn(key = operators.keys.decider, host?: string): Promise<{ cookie: string; attributes: string[] }> {
  const headers = host === undefined ? {} : { host }
  const answer = await service.request('POST', '/operator/v1/sessions/', { key, json: {}, headers })
  assert.equal(answer.status, 200, answer.text)
  assert.doesNotMatch(answer.text, /pss_/) // A script must not be able to read the token.
  const [cookie = '', ...attributes] = (answer.headers['set-cookie']?.[0] ?? '').split('; ')
  return { cookie, attributes }
}

const me = (cookie: string): Promise<Answer> => service.request('GET', '/operator/v1/me/', { headers: { cookie } })
const change = (cookie: string, path: string, headers: Record<string, string> = { origin: own() }, json: object = {}) =>
  service.request('POST', path, { json, headers: { cookie, ...headers } })
const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0]?.code

test('a session is a cookie that scripts and other sites cannot use, encrypted unless it stays on this machine', async () => {
  const { cookie, attributes } = await signIn()
  assert.match(cookie, /^parts_session=pss_\d+_\w{43}_\w{6}$/)
  assert.deepEqual(attributes, ['Path=/', 'Max-Age=43200', 'HttpOnly', 'SameSite=Strict'])
  const elsewhere = await signIn(operators.keys.decider, 'desk.example')
  assert.match(elsewhere.cookie, /^__Host-parts_session=pss_\d+_\w{43}_\w{6}$/)
  assert.deepEqual(elsewhere.attributes, ['Path=/', 'Max-Age=43200', 'HttpOnly', 'SameSite=Strict', 'Secure'])
})

test('a session is accepted over https only in the cookie that no other host can set', async () => {
  const { cookie } = await signIn(operators.keys.decider, 'desk.example')
  const at = (sent: string): Promise<Answer> =>
    service.request('GET', '/operator/v1/me/', { headers: { cookie: sent, host: 'desk.example' } })
  assert.equal((await at(cookie)).status, 200)
  assert.equal((await at(cookie.replace('__Host-', ''))).status, 401)
})

test('an owner has at most 20 live sessions: the oldest end, with a trace', async () => {
  const oldest = await signIn(operators.keys.cataloguer)
  const second = await signIn(operators.keys.cataloguer)
  for (let n = 0; n < 18; n++) await signIn(operators.keys.cataloguer)
  assert.equal((await me(oldest.cookie)).status, 200)
  await signIn(operators.keys.cataloguer)
  while ((await me(oldest.cookie)).status === 200) await sleep(100) // At most 5 seconds, as for each end of a session.
  assert.equal((await me(oldest.cookie)).status, 401)
  assert.equal((await me(second.cookie)).status, 200)
  const [, session_id] = /pss_(\d+)_/.exec(oldest.cookie) ?? []
  const entries = await service.sql(`select audit_action from audit_entries where session_id = $1 order by audit_id`, [
    session_id,
  ])
  assert.deepEqual(entries, [{ audit_action: 'session_started' }, { audit_action: 'session_ended' }])
})

test('a session has the name and the role of its key, and only its digest is stored', async () => {
  const { cookie } = await signIn()
  const { body } = await me(cookie)
  assert.equal(body.data.operator_name, 'Test decider')
  assert.deepEqual(body.data.permissions, ['view', 'decide'])
  const refused = await service.request('GET', '/operator/v1/operator-keys/', { headers: { cookie } })
  assert.deepEqual([refused.status, codeOf(refused)], [403, 'role_missing'])
  const rows = await service.sql('select to_jsonb(s)::text as stored from operator_sessions s')
  assert(!rows.some(({ stored }) => String(stored).includes(cookie.slice(-20))))
})

test('a change with a session is refused from every origin but our own, and changes nothing', async () => {
  const { cookie } = await signIn()
  const others = [
    'https://elsewhere.example',
    `https://elsewhere.example:${service.port}`,
    'null',
    '',
    `${own()}.evil.example`,
  ]
  for (const origin of others) {
    const answer = await change(cookie, '/operator/v1/me/sign-out/', { origin })
    assert.deepEqual([answer.status, codeOf(answer)], [403, 'origin_not_allowed'], origin)
  }
  const without = await change(cookie, '/operator/v1/me/sign-out/', {})
  assert.deepEqual([without.status, codeOf(without)], [403, 'origin_not_allowed'])
  assert.equal((await me(cookie)).status, 200)
})

test('signing out ends one session at once and removes its cookie; everywhere ends all sessions of the key', async () => {
  const [one, two, three] = [
    await signIn(operators.keys.viewer),
    await signIn(operators.keys.viewer),
    await signIn(operators.keys.viewer),
  ]
  const other = await signIn(operators.keys.admin)
  // All are cached from here on.
  for (const { cookie } of [one, two, three, other]) assert.equal((await me(cookie)).status, 200)
  const out = await change(one.cookie, '/operator/v1/me/sign-out/')
  assert.deepEqual([out.status, out.body.data], [200, { sessions_ended: 1 }])
  assert.match(out.headers['set-cookie']?.[0] ?? '', /^parts_session=; .*Max-Age=0/)
  assert.equal((await me(one.cookie)).status, 401)
  assert.equal((await me(two.cookie)).status, 200)
  const everywhere = await change(two.cookie, '/operator/v1/me/sign-out/', { origin: own() }, { everywhere: true })
  assert.deepEqual(everywhere.body.data, { sessions_ended: 2 })
  assert.equal((await me(two.cookie)).status, 401)
  assert.equal((await me(three.cookie)).status, 401)
  assert.equal((await me(other.cookie)).status, 200)
})

test('an admin ends a session, and a revoked key ends its sessions, at once on the process that is asked', async () => {
  const { cookie } = await signIn()
  const [listed] = await operators.ok('GET', '/operator/v1/sessions/?limit=1')
  assert.equal((await me(cookie)).body.data.session_id, listed.session_id)
  await operators.ok('DELETE', `/operator/v1/sessions/${listed.session_id}/`)
  assert.equal((await me(cookie)).status, 401)

  const { key, key_id } = await operators.ok('POST', '/operator/v1/operator-keys/', {
    operator_name: 'Short',
    role: 'viewer',
  })
  const short = await signIn(key)
  const statusWith = async (of: string): Promise<number> =>
    (await service.request('GET', '/operator/v1/me/', { key: of })).status
  assert.deepEqual([(await me(short.cookie)).status, await statusWith(key)], [200, 200])
  await operators.ok('DELETE', `/operator/v1/operator-keys/${key_id}/`)
  assert.deepEqual([(await me(short.cookie)).status, await statusWith(key)], [401, 401])
})

test('a session that expired, or was not used for long, is refused; one that is used stays', async () => {
  const expired = await signIn()
  const idle = await signIn()
  const used = await signIn()
  const idOf = (cookie: string): number => Number(/pss_(\d+)/.exec(cookie)?.[1])
  await service.sql(`update operator_sessions set expires_at = now() where session_id = ${idOf(expired.cookie)}`)
  await service.sql(
    `update operator_sessions set created_at = now() - interval '61 minutes' where session_id in (${idOf(idle.cookie)}, ${idOf(used.cookie)})`,
  )
  await service.sql(
    `update operator_sessions set last_used_at = now() - interval '10 minutes' where session_id = ${idOf(used.cookie)}`,
  )
  assert.equal((await me(expired.cookie)).status, 401)
  assert.equal((await me(idle.cookie)).status, 401)
  assert.equal((await me(used.cookie)).status, 200)
  const usedAt = async (): Promise<unknown> =>
    (
      await service.sql(
        `select last_used_at > now() - interval '30 seconds' as recent from operator_sessions where session_id = ${idOf(used.cookie)}`,
      )
    )[0]
  const deadline = Date.now() + 30_000
  while (!isDeepStrictEqual(await usedAt(), { recent: true })) {
    assert(Date.now() < deadline, 'The use of the session was not recorded.')
    await sleep(50)
  }
})

test('signing in and out is in the audit log and in the log of requests', async () => {
  const { cookie } = await signIn()
  const session_id = (await me(cookie)).body.data.session_id
  await change(cookie, '/operator/v1/me/sign-out/')
  const entries = await operators.ok('GET', '/operator/v1/audit/?limit=2')
  assert.deepEqual(
    entries.map((entry: Record<string, unknown>) => [
      entry['audit_action'],
      entry['session_id'],
      entry['operator_name'],
    ]),
    [
      ['session_ended', session_id, 'Test decider'],
      ['session_started', session_id, 'Test decider'],
    ],
  )
  assert(service.log.some((line) => line.includes(`"session_id":${session_id}`) && line.includes('/operator/v1/me/')))
})

test('behind a proxy, the origin that counts is CONSOLE_ORIGIN', async (t) => {
  const proxied = await startService({ settings: { CONSOLE_ORIGIN: 'https://desk.example' } })
  t.after(() => proxied.close())
  const { keys } = await makeOperators(proxied)
  const signedIn = await proxied.request('POST', '/operator/v1/sessions/', { key: keys.viewer, json: {} })
  const [set = ''] = signedIn.headers['set-cookie'] ?? []
  assert.match(set, /; Secure$/)
  const send = (origin: string): Promise<Answer> =>
    proxied.request('POST', '/operator/v1/me/sign-out/', {
      json: {},
      headers: { cookie: set.split(';')[0] ?? '', origin },
    })
  assert.equal((await send(`http://127.0.0.1:${proxied.port}`)).status, 403)
  assert.equal((await send('https://desk.example')).status, 200)
})
