import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { digestOf, keyIdOf, makeApiKey, openAuthenticator } from './authenticate.ts'
import { operatorKeys } from './key-kinds.ts'
import { issueClientKey } from '../keys/issue-client-key.ts'
import { revokeClientKey } from '../keys/revoke-client-key.ts'
import { openApi } from '../commands/api.ts'
import { readConfig } from '../config.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../open-database.ts'
import { metricValue } from '../testing/metrics.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, byTheTests, addFixtures } from '../testing/fixtures.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

const statusWith = async (key: string): Promise<number> =>
  (await service.request('GET', '/api/v1/carts/', { key })).status

test('a key has the documented format, and a mistyped key fails its checksum', () => {
  const key = makeApiKey(1234)
  assert.match(key, /^pos_1234_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
  assert.equal(keyIdOf(key), 1234)
  for (let i = 0; i < key.length; i++) {
    const mistyped = key.slice(0, i) + (key[i] === '7' ? '8' : '7') + key.slice(i + 1)
    assert.equal(keyIdOf(mistyped), undefined, mistyped)
  }
  assert.notEqual(makeApiKey(1234), key)
})

test('only a digest of the key is stored', async () => {
  const { key, key_id } = await addClient(service)
  const [row] = await service.sql('select k::text as stored from api_keys k where key_id = $1', [key_id])
  assert(!String(row?.['stored']).includes(key.slice(10, 40)))
})

test('a key with a known id and a wrong secret is refused', async () => {
  const { key_id } = await addClient(service)
  assert.equal(await statusWith(makeApiKey(key_id)), 401)
})

test('every 401 has a challenge, and the same body whether a key is missing, unknown, revoked or expired', async () => {
  const me = await addClient(service)
  const revoked = await issueClientKey(service.db, { ...me, ...byTheTests })
  await revokeClientKey(service.db, { client_id: null, key_id: revoked.key_id, ...byTheTests })
  const expired = await issueClientKey(service.db, {
    ...me,
    expires_at: new Date(Date.now() - 1_000).toISOString(),
    ...byTheTests,
  })
  for (const path of ['/api/v1/carts/', '/operator/v1/inbox/']) {
    for (const key of [undefined, '', 'nonsense', makeApiKey(999_999), revoked.key, expired.key]) {
      const { status, headers, body } = await service.request('GET', path, { key })
      assert.equal(status, 401)
      assert.equal(headers['www-authenticate'], 'ApiKey realm="Parts Ordering Service"')
      assert.deepEqual(body.errors, [
        {
          code: 'unauthorized',
          message: 'No valid API key. Send your key, and nothing else, as the value of the Authorization header.',
        },
      ])
    }
  }
})

test('a 401 for a key after a scheme word says to drop the word, and repeats nothing else of the header', async () => {
  const { key } = await addClient(service)
  for (const [authorization, scheme] of [
    [`Bearer ${key}`, 'Bearer'],
    [`bearer  ${key}`, 'bearer'],
    [`Token ${key}`, 'Token'],
    [`Basic ${Buffer.from(key).toString('base64')}`, 'Basic'],
    [`ApiKey: ${key}`, 'ApiKey'],
  ] as const) {
    const { status, body, text } = await service.request('GET', '/api/v1/carts/', { key: authorization })
    assert.deepEqual([status, body.errors.length], [401, 1])
    assert.deepEqual(body.errors[0], {
      code: 'unauthorized',
      message: `No valid API key. Send your key, and nothing else, as the value of the Authorization header. Drop the word '${scheme}' before it.`,
      details: { scheme },
    })
    assert(!text.includes(key.slice(10, 40)))
  }
  for (const authorization of ['Bearer', 'Bearer ', `my ${key}`, `${key} Bearer`]) {
    const { body } = await service.request('GET', '/api/v1/carts/', { key: authorization })
    assert.equal(body.errors[0]?.details, undefined, authorization)
  }
})

test('several keys of a client work at the same time, so that keys can be rotated', async () => {
  const me = await addClient(service)
  const second = await issueClientKey(service.db, { ...me, ...byTheTests })
  assert.deepEqual([await statusWith(me.key), await statusWith(second.key)], [200, 200])
})

test('an expired key is refused from the moment of its expiry', async () => {
  const me = await addClient(service)
  const { key } = await issueClientKey(service.db, {
    ...me,
    expires_at: new Date(Date.now() + 4_000).toISOString(),
    ...byTheTests,
  })
  assert.equal(await statusWith(key), 200)
  await sleep(4_100)
  assert.equal(await statusWith(key), 401)
})

test('a key that is revoked while in use is refused within 5 seconds by every process that has cached it', async () => {
  const me = await addClient(service)
  // An app with its own pool and key cache stands for a second process.
  const config = readConfig({ DATABASE_URL: service.databaseUrl, SHED_AFTER_MS: 'off' })
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const opened = new AsyncDisposableStack()
  const other = await openApi(db, config, makeLogger('silent'), opened)
  const statuses = async (): Promise<number[]> => [
    await statusWith(me.key),
    (await other.inject({ url: '/api/v1/carts/', headers: { authorization: me.key } })).statusCode,
  ]
  assert.deepEqual(await statuses(), [200, 200])
  const revokedAt = performance.now()
  await revokeClientKey(service.db, { ...me, ...byTheTests })
  while (performance.now() - revokedAt < 4_900) {
    if ((await statuses()).every((status) => status === 401)) break
    await sleep(50)
  }
  assert.deepEqual(await statuses(), [401, 401])
  await opened.disposeAsync()
  await db.close()
})

test('a key that was being read while it was revoked is refused after the recheck, also when that fails', async (t) => {
  const key = makeApiKey(7, 'pso')
  const row = { key_id: 7, digest: digestOf(key), expires_at: null, operator_name: 'A', role: 'viewer' }
  let isRevoked = false
  let isAway = false
  let whenRead = Promise.resolve()
  const keys = openAuthenticator(
    {
      row: async () => {
        const found = { ...row, revoked: isRevoked }
        await whenRead
        return found
      },
      rows: async () => {
        if (isAway) throw new DatabaseTrouble('unavailable')
        return [{ ...row, revoked: isRevoked }]
      },
    } as unknown as Database,
    operatorKeys,
    { keyUseIntervalMs: 3_600_000, logger: makeLogger('silent') },
  )
  t.after(() => keys.close())
  const read = Promise.withResolvers<void>()
  whenRead = read.promise
  const first = keys.authenticate(key)
  isRevoked = true
  await keys.recheck()
  read.resolve()
  await assert.rejects(async () => first, { status: 401 })

  isRevoked = false
  await keys.recheck()
  assert.equal((await keys.authenticate(key)).role, 'viewer')
  isRevoked = true
  isAway = true
  await keys.recheck()
  await assert.rejects(async () => keys.authenticate(key), { status: 401 })
})

test('a key that is revoked while the body is still arriving is refused, and nothing changes', async () => {
  const me = await addClient(service)
  const socket = net.connect(service.port, '127.0.0.1')
  const answered = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('close', () => resolve(text))
  })
  const head = [
    'PUT /api/v1/carts/ HTTP/1.1',
    `Authorization: ${me.key}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 6',
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\nname`)
  await sleep(200)
  await revokeClientKey(service.db, { ...me, ...byTheTests })
  await sleep(5_000)
  socket.write('=A')
  assert.match(await answered, /^HTTP\/1.1 401 /)
  assert.deepEqual(await service.sql('select * from carts where client_id = $1', [me.client_id]), [])
})

test('keys never appear in the log', async () => {
  const { key } = await addClient(service)
  await service.request('GET', '/api/v1/carts/', { key })
  await service.request('GET', '/api/v1/nowhere/', { key })
  await service.request('PUT', '/api/v1/carts/', { key, body: 'x', headers: { 'content-type': 'text/plain' } })
  service.app.log.error(
    { headers: { authorization: key }, req: { headers: { authorization: key } } },
    'logged by mistake',
  )
  const text = service.log.join('')
  assert(text.includes('answered') && text.includes('[redacted]'))
  assert(!text.includes(key.slice(0, -7)))
})

test('a bug in reading changed keys is logged as an error; a database that is away or busy is not', async () => {
  const broken = await startService({ settings: { STATEMENT_TIMEOUT_MS: '500', KEY_USE_INTERVAL_MS: '100' } })
  const errors = (): string[] =>
    broken.log
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 'error')
      .map(({ msg }) => String(msg))
  const errorsAfter = async (ms: number): Promise<string[]> => {
    await sleep(ms)
    return [...new Set(errors())].toSorted()
  }
  await addFixtures(broken)
  const { key } = await addClient(broken)
  await broken.request('GET', '/api/v1/countries/', { key })

  const session = new pg.Client({ connectionString: broken.databaseUrl })
  await session.connect()
  await session.query('begin')
  await session.query('lock table api_keys')
  await broken.request('GET', '/api/v1/countries/', { key })
  assert.deepEqual(await errorsAfter(3_500), []) // Longer than a refresh takes to start and to time out.
  await session.query('rollback')

  await session.query('alter table api_keys rename column changed_at to renamed_changed_at')
  await session.query('alter table api_keys rename column last_used_at to renamed_last_used_at')
  const deadline = performance.now() + 30_000
  while ((await errorsAfter(100)).length < 2 && performance.now() < deadline)
    await broken.request('GET', '/api/v1/countries/', { key })
  assert.deepEqual(await errorsAfter(0), [
    'changed keys could not be read; trying again',
    'the last use of keys could not be written; trying again',
  ])
  await session.end()
  await broken.close()
})

test('without requests no keys are read, and a key that was revoked meanwhile is refused by the next one', async () => {
  const { key, key_id } = await addClient(service)
  assert.equal(await statusWith(key), 200)
  await sleep(2_000) // The last reading is due within 1.5 s.
  const readings = (): Promise<number> =>
    metricValue('parts_statement_duration_seconds_count', { statement: 'changed-client-keys' })
  const before = await readings()
  await sleep(4_500)
  assert.equal((await readings()) - before, 0)
  await service.sql('update api_keys set revoked_at = now(), changed_at = now() where key_id = $1', [key_id])
  assert.equal(await statusWith(key), 401)
})
