/** Signing in at a real OpenID provider, over HTTP, as a browser does: redirects and cookies. */
import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import Provider from 'oidc-provider'
import { readConfig } from '../config.ts'
import { makeOperators } from '../testing/operators.ts'
import { eventually } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'

const people: Record<string, { name: string; groups: string[] }> = {
  anna: { name: 'Anna Berg', groups: ['everybody', 'order-desk'] },
  boss: { name: 'Boris Weiss', groups: ['order-desk', 'it-admins'] },
  guest: { name: 'Guest', groups: ['everybody'] },
  twin: { name: 'Anna Berg', groups: ['order-desk'] },
  odd: { name: 'Eve\n\u{202E}greB\u0007 ', groups: ['order-desk'] },
}

interface Account {
  readonly operator_id: number
  readonly operator_name: string
  readonly issuer: string
  readonly subject: string
}

let service: TestService
let provider: http.Server
let issuer: string
// The origin is only an address in redirects here: the test follows them on its own, to the service's port.
const origin = 'http://localhost:9'

before(async () => {
  provider = http.createServer()
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const op = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        client_secret: 'not a secret in a test',
        redirect_uris: [`${origin}/console/signed-in`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    findAccount: async (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people[id] }),
    }),
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: true } },
  })
  provider.on('request', op.callback() as http.RequestListener)
  service = await startService({
    settings: providerSettings(),
    options: { boundedEntriesMs: 50 },
  })
})
after(async () => {
  await service.close()
  provider.closeAllConnections()
  provider.close()
})

const providerSettings = (): Record<string, string> => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: 'console',
  OIDC_CLIENT_SECRET: 'not a secret in a test',
  OIDC_ROLES: '{"order-desk":"decider","it-admins":"admin"}',
  CONSOLE_ORIGIN: origin,
})

/** A browser's cookies, of the service and of the provider. */
class Jar {
  readonly cookies = new Map<string, string>()
  async send(address: string, init: RequestInit = {}, to = service): Promise<Response> {
    const url = new URL(address.replace(origin, `http://127.0.0.1:${to.port}`))
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string> | undefined), cookie },
    })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(set)) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }
}

/** Follows redirects and fills in the provider's forms until the browser is sent back; returns where to. */
async function signInAtProvider(jar: Jar, login: string): Promise<string> {
  let address = `${origin}/console/sign-in`
  let init: RequestInit = {}
  for (let step = 0; step < 20; step++) {
    const answer = await jar.send(address, init)
    const location = answer.headers.get('location')
    if (location !== null) {
      address = new URL(location, address).href
      init = {}
      if (address.startsWith(`${origin}/console/signed-in`)) return address
      continue
    }
    const page = await answer.text()
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1]
    assert(action !== undefined && prompt !== undefined, page)
    address = new URL(action, address).href
    init = { method: 'POST', body: new URLSearchParams({ prompt, login, password: 'any' }) }
  }
  throw new Error('The provider did not send the browser back.')
}

const comeBack = async (jar: Jar, address: string, to = service): Promise<string | null> =>
  (await jar.send(address, {}, to)).headers.get('location')

async function me(jar: Jar): Promise<Record<string, unknown>> {
  const answer = await jar.send(`${origin}/operator/v1/me/`)
  return ((await answer.json()) as { data: Record<string, unknown> }).data
}

test('a person signs in at the provider and has the name and the role of their groups', async () => {
  const jar = new Jar()
  const back = await signInAtProvider(jar, 'anna')
  assert.equal(await comeBack(jar, back), '/console/')
  const { session_id, operator_id, ...rest } = await me(jar)
  assert(Number.isSafeInteger(session_id) && Number.isSafeInteger(operator_id))
  assert.deepEqual(rest, { operator_name: 'Anna Berg', role: 'decider', permissions: ['view', 'decide'], key_id: null })
  assert(!jar.cookies.has('parts_sign_in'))

  const admin = new Jar()
  await comeBack(admin, await signInAtProvider(admin, 'boss'))
  assert.equal((await me(admin))['role'], 'admin')
})

test('what such a person does is logged by name, and an admin can end the session', async () => {
  const jar = new Jar()
  await comeBack(jar, await signInAtProvider(jar, 'boss'))
  const { session_id } = await me(jar)
  const issued = await jar.send(`${origin}/operator/v1/operator-keys/`, {
    method: 'POST',
    body: JSON.stringify({ operator_name: 'New', role: 'viewer' }),
    headers: { 'content-type': 'application/json', origin },
  })
  assert.equal(issued.status, 200)
  const { ok } = await makeOperators(service)
  const entries = (await ok('GET', '/operator/v1/audit/')) as Record<string, unknown>[]
  const own = entries.filter(({ actor }) => /^operator \d+ session \d+, Boris Weiss$/.test(String(actor)))
  const [{ operator_id, ...account }, ...others] = own.map(({ actor_operator }) => actor_operator) as [Account, Account]
  assert.deepEqual(account, { operator_name: 'Boris Weiss', issuer, subject: 'boss' })
  assert(others.every((other) => other.operator_id === operator_id))
  assert(entries.some(({ actor }) => actor === `operator ${operator_id} session ${String(session_id)}, Boris Weiss`))
  await ok('DELETE', `/operator/v1/sessions/${String(session_id)}/`)
  const endedAt = performance.now()
  for (let sentAt = endedAt; (await jar.send(`${origin}/operator/v1/me/`)).status !== 401; sentAt = performance.now())
    assert(sentAt - endedAt < 5_000, 'A request that was sent 5 seconds later was accepted.')
})

test('two people of one name are two operators, and one person is the same at each sign-in, by the present name', async () => {
  const whoIs = async (login: string): Promise<Record<string, unknown>> => {
    const jar = new Jar()
    await comeBack(jar, await signInAtProvider(jar, login))
    return me(jar)
  }
  const [anna, twin, again] = [await whoIs('anna'), await whoIs('twin'), await whoIs('anna')]
  assert.equal(anna['operator_id'], again['operator_id'])
  assert.notEqual(anna['operator_id'], twin['operator_id'])
  Object.assign(people['twin'] ?? {}, { name: 'Anna Weiss' })
  const { operator_id, operator_name } = await whoIs('twin')
  assert.deepEqual([operator_id, operator_name], [twin['operator_id'], 'Anna Weiss'])
  const { ok } = await makeOperators(service)
  const listed = (await ok('GET', '/operator/v1/operators/?limit=100')) as Account[]
  const accounts = listed.filter((one) => one.operator_name.startsWith('Anna'))
  assert.deepEqual(
    accounts.map((one) => [one.operator_id, one.operator_name, one.issuer, one.subject]),
    [
      [anna['operator_id'], 'Anna Berg', issuer, 'anna'],
      [operator_id, 'Anna Weiss', issuer, 'twin'],
    ],
  )
})

test('a name from the provider is stored without line ends, control and directional characters', async () => {
  const jar = new Jar()
  await comeBack(jar, await signInAtProvider(jar, 'odd'))
  assert.equal((await me(jar))['operator_name'], 'Eve greB')
})

test('a person without a group that has a role is refused, and gets no session', async () => {
  const jar = new Jar()
  assert.equal(await comeBack(jar, await signInAtProvider(jar, 'guest')), '/console/?sign_in=refused')
  assert(!jar.cookies.has('parts_session'))
  const failed = () => service.sql(`select actor, new_value from audit_entries where audit_action = 'sign_in_failed'`)
  await eventually(async () => (await failed()).length > 0)
  assert.deepEqual(await failed(), [
    { actor: 'unknown at 127.0.0.1', new_value: { times: 1, of: [{ subject: 'guest' }] } },
  ])
})

test("a code is accepted once, with its own state, and in the browser that began: another's is refused", async () => {
  const jar = new Jar()
  const back = await signInAtProvider(jar, 'anna')
  const other = new Jar()
  assert.equal(await comeBack(other, back), '/console/?sign_in=failed') // Without the cookie.
  await other.send(`${origin}/console/sign-in`)
  assert.equal(await comeBack(other, back), '/console/?sign_in=failed') // With another state and verifier.
  const wrong = new URL(back)
  wrong.searchParams.set('state', 'x')
  const copy = new Jar()
  for (const [name, value] of jar.cookies) copy.cookies.set(name, value)
  assert.equal(await comeBack(copy, wrong.href), '/console/?sign_in=failed')
  const pending = new Map(jar.cookies)
  assert.equal(await comeBack(jar, back), '/console/')
  const again = new Jar()
  for (const [name, value] of pending) again.cookies.set(name, value)
  assert.equal(await comeBack(again, back), '/console/?sign_in=failed')
  assert(
    !again.cookies.has('parts_session') && !other.cookies.has('parts_session') && !copy.cookies.has('parts_session'),
  )
})

test('with a cookie that the service did not write in the last 10 minutes, the provider is not asked', async (t) => {
  const jar = new Jar()
  const back = await signInAtProvider(jar, 'anna')
  const cookie = jar.cookies.get('parts_sign_in') ?? ''
  const parts = cookie.split('.')
  const changed = (at: number, text: string): string => parts.with(at, text).join('.')
  const asked: (string | undefined)[] = []
  const note = ({ url }: http.IncomingMessage): void => void asked.push(url)
  provider.on('request', note)
  t.after(() => provider.off('request', note))
  const later = Number(parts[3]) + 600_000
  for (const own of [
    'a.b.c',
    changed(0, 'x'),
    changed(3, String(later)),
    `${cookie}.x`,
    parts.slice(0, 4).join('.'),
    '',
  ]) {
    jar.cookies.set('parts_sign_in', own)
    assert.equal(await comeBack(jar, back), '/console/?sign_in=failed', own)
  }
  jar.cookies.set('parts_sign_in', cookie)
  t.mock.timers.enable({ apis: ['Date'], now: Number(parts[3]) })
  assert.equal(await comeBack(jar, back), '/console/?sign_in=failed')
  t.mock.timers.reset()
  assert.deepEqual(asked, [])
  jar.cookies.set('parts_sign_in', cookie)
  assert.equal(await comeBack(jar, back), '/console/')
  assert(asked.length > 0)
})

test('another process of the same settings completes a sign-in', async (t) => {
  const jar = new Jar()
  const back = await signInAtProvider(jar, 'anna')
  const other = await startService({ settings: providerSettings() })
  t.after(() => other.close())
  assert.equal(await comeBack(jar, back, other), '/console/')
})

test('with KEY_SIGN_IN=off a key starts no session but works for programs, and the console offers none', async (t) => {
  const strict = await startService({ settings: { ...providerSettings(), KEY_SIGN_IN: 'off' } })
  t.after(() => strict.close())
  const { keys } = await makeOperators(strict)
  const refused = await strict.request('POST', '/operator/v1/sessions/', { key: keys.admin, json: {} })
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [403, 'key_sign_in_off'])
  assert.equal(refused.headers['set-cookie'], undefined)
  assert.deepEqual(await strict.sql('select 1 from operator_sessions'), [])
  assert.deepEqual(
    await strict.sql(`select actor ~ '^operator \\d+ key \\d+$' as known, new_value from audit_entries
      where audit_action = 'sign_in_failed'`),
    [{ known: true, new_value: { refused: 'key_sign_in_off' } }],
  )
  assert.equal((await strict.request('GET', '/operator/v1/me/', { key: keys.viewer })).status, 200)
  const settings = JSON.parse((await strict.request('GET', '/console/settings.json')).text) as object
  assert.deepEqual(settings, { identity_provider: true, key_sign_in: false, state_labels: {}, time_zone: 'UTC' })
  const jar = new Jar()
  const back = await signInAtProvider(jar, 'anna')
  assert.equal(await comeBack(jar, back, strict), '/console/')
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgres://none/none', KEY_SIGN_IN: 'off' }),
    /KEY_SIGN_IN=off needs OIDC_ISSUER/,
  )
})

test('incomplete and unsafe settings of the provider are refused at the start', () => {
  const read = (settings: Record<string, string>) => () =>
    readConfig({ DATABASE_URL: 'postgres://none/none', ...settings })
  const complete = {
    OIDC_ISSUER: 'https://login.example',
    OIDC_CLIENT_ID: 'console',
    OIDC_ROLES: '{"desk":"decider"}',
    CONSOLE_ORIGIN: 'https://desk.example',
  }
  assert.doesNotThrow(read(complete))
  assert.throws(read({ ...complete, OIDC_ISSUER: 'http://login.example' }), /OIDC_ISSUER must be/)
  assert.throws(read({ ...complete, OIDC_ROLES: '{"desk":"king"}' }), /OIDC_ROLES must be/)
  assert.throws(read({ ...complete, OIDC_ROLES: '{}' }), /OIDC_ISSUER needs OIDC_ROLES/)
  assert.throws(read({ ...complete, OIDC_CLIENT_ID: '' }), /OIDC_ISSUER needs OIDC_CLIENT_ID/)
  assert.throws(read({ ...complete, CONSOLE_ORIGIN: '' }), /OIDC_ISSUER needs CONSOLE_ORIGIN/)
})
