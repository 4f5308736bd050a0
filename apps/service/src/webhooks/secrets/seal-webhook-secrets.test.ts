import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sealWebhookSecrets } from './seal-webhook-secrets.ts'
import { makeSecretBox, type SecretKey } from './secret-box.ts'
import { makeEndpoints, webhookUrl } from '../../testing/network/endpoints.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'
import { startService, type TestService } from '../../testing/service.ts'

const keyNamed = (name: string): SecretKey => ({ name, key: Buffer.alloc(32, name) })
const [older, newer] = [keyNamed('2026'), keyNamed('2027')]
const settingOf = (...keys: SecretKey[]): string =>
  keys.map(({ name, key }) => `${name}:${Buffer.from(key).toString('base64')}`).join()

async function start(t: TestContext, settings: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ settings })
  t.after(() => service.close())
  await addFixtures(service)
  return service
}

const sealAll = async (service: TestService, ...keys: SecretKey[]): Promise<number> => {
  let endpoints = 0
  for await (const count of sealWebhookSecrets(service.db, makeSecretBox(keys))) endpoints += count
  return endpoints
}

const stored = ({ sql }: TestService, webhook_id: number) =>
  sql('select client_id::integer, secret, previous_secret from webhooks where webhook_id = $1', [webhook_id])

test('with a key, no secret is in the database in plain text: not of an endpoint, nor of a stored response', async (t) => {
  const service = await start(t, { WEBHOOK_SECRET_KEYS: settingOf(older) })
  const { key, client_id } = await addClient(service)
  const send = (path: string, form = {}): Promise<string> =>
    service.request('PUT', path, { key, form, headers: { 'idempotency-key': 'once' } }).then(({ text }) => text)
  const created = await send('/api/v1/webhooks/', { url: webhookUrl })
  const { webhook_id, secret } = JSON.parse(created).data
  const rotated = await send(`/api/v1/webhooks/${webhook_id}/rotate-secret/`)
  assert.equal(await send('/api/v1/webhooks/', { url: webhookUrl }), created)
  assert.equal(await send(`/api/v1/webhooks/${webhook_id}/rotate-secret/`), rotated)
  const { secret: newSecret } = JSON.parse(rotated).data
  const [row] = await stored(service, webhook_id)
  const box = makeSecretBox([older])
  assert.equal(box.open(String(row?.['secret']), client_id), newSecret)
  assert.equal(box.open(String(row?.['previous_secret']), client_id), secret)
  const rows = await service.sql(`
    select to_jsonb(t)::text as text from webhooks t
    union all select to_jsonb(t)::text from idempotency_keys t
    union all select to_jsonb(t)::text from events t`)
  assert(rows.length >= 5)
  for (const { text } of rows) assert(!String(text).includes('whsec_'), String(text))
})

test('the job seals plain secrets and those of older keys, each once, and leaves the endpoints as they are', async (t) => {
  const service = await start(t)
  await makeEndpoints(service, { url: webhookUrl, clients: 600, each: 1 }) // More than a page.
  const plain = await service.sql('select webhook_id, secret from webhooks order by webhook_id')
  assert.equal(await sealAll(service), 0) // Without keys there is nothing to do.
  assert.deepEqual(await service.sql('select webhook_id, secret from webhooks order by webhook_id'), plain)

  assert.equal(await sealAll(service, older), 600)
  assert.equal(await sealAll(service, older), 0)
  await service.sql(
    `update webhooks set previous_secret = secret, previous_secret_until = now() + interval '1 hour' *
       case when webhook_id % 2 = 0 then 1 else -1 end`,
  )
  const both = await Promise.all([sealAll(service, newer, older), sealAll(service, newer, older)])
  assert((both[0] ?? 0) + (both[1] ?? 0) >= 600)
  const box = makeSecretBox([newer])
  const resealed = await service.sql(
    'select client_id::integer, webhook_id, secret, previous_secret from webhooks order by webhook_id',
  )
  assert.deepEqual(
    resealed.map(({ client_id, webhook_id, secret }) => ({
      webhook_id,
      secret: box.open(String(secret), Number(client_id)),
    })),
    plain,
  )
  for (const { client_id, webhook_id, secret, previous_secret } of resealed)
    assert.equal(
      typeof previous_secret === 'string' ? box.open(previous_secret, Number(client_id)) : null,
      Number(webhook_id) % 2 === 0 ? box.open(String(secret), Number(client_id)) : null, // One that has ended is deleted.
    )
})

test('a secret that is rotated between reading and sealing stays the new one', async (t) => {
  const service = await start(t)
  const me = await addClient(service)
  const { ok } = shopper(service, me)
  const { webhook_id } = await ok('PUT', '/api/v1/webhooks/', { url: webhookUrl })
  let rotated = ''
  const rotatingBox = makeSecretBox([newer])
  const rows: TestService['db']['rows'] = async (statement, values) => {
    const found = await service.db.rows(statement, values)
    if (statement.name === 'find-unsealed-secrets' && rotated === '')
      rotated = (await ok('PUT', `/api/v1/webhooks/${webhook_id}/rotate-secret/`)).secret
    return found
  }
  const db: TestService['db'] = Object.assign(Object.create(service.db), { rows })
  for await (const _ of sealWebhookSecrets(db, rotatingBox)) assert.notEqual(rotated, '')
  const [row] = await stored(service, webhook_id)
  assert.equal(rotatingBox.open(String(row?.['secret']), me.client_id), rotated)
})

test('a secret that cannot be opened is reported after all others are sealed', async (t) => {
  const service = await start(t)
  const made = await makeEndpoints(service, { url: webhookUrl, clients: 3 })
  const [first, ...others] = made
  assert(first)
  await service.sql(`update webhooks set secret = 'sealed:gone:AAAA' where webhook_id = $1`, [first.webhook_id])
  await assert.rejects(sealAll(service, newer), new RegExp(`cannot be decrypted: ${first.webhook_id}\\.$`))
  const rows = await service.sql("select webhook_id::integer, split_part(secret, ':', 2) as key from webhooks")
  assert.deepEqual(
    new Map(rows.map(({ webhook_id, key }) => [webhook_id, key])),
    new Map<unknown, unknown>([
      [first.webhook_id, 'gone'],
      ...others.map(({ webhook_id }): [number, string] => [webhook_id, '2027']),
    ]),
  )
})
