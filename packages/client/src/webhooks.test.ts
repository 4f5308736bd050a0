/** Verification of webhooks, with messages that the service signs. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { verifyWebhook, WebhookError } from '@parts-ordering/client/webhooks'
import { makeSecret, signatureHeaders } from '../../../apps/service/src/webhooks/signature.ts'

const [old, current, another] = [makeSecret(), makeSecret(), makeSecret()]
const body = JSON.stringify({ type: 'order.created', timestamp: '2026-11-15T09:30:00Z', data: { event_number: 7 } })

function signed(secrets: readonly string[], { ageSeconds = 0 } = {}) {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  return { body, headers: signatureHeaders(secrets, { id: 'msg_7', timestamp, body }) }
}

const verified = { id: 'msg_7', ...(JSON.parse(body) as object) }

test('a genuine message is returned with its id, from headers in any case, text or bytes, and from a Request', async () => {
  const message = signed([current])
  assert.deepEqual(await verifyWebhook(message, current), verified)
  const headers = Object.fromEntries(Object.entries(message.headers).map(([name, one]) => [name.toUpperCase(), one]))
  assert.deepEqual(await verifyWebhook({ headers, body: Buffer.from(body) }, current), verified)
  const request = new Request('http://receiver/', { method: 'POST', ...message })
  const received = await verifyWebhook(request, current)
  assert(received.type !== 'webhook.test') // Narrows to an event.
  assert.equal(received.data.event_number, 7)
  assert.equal(await request.text(), body) // It can still be read.
})

test('during a rotation a receiver with either secret, or with both, accepts every message', async () => {
  const known = [old, current, [old, current], [another, old]]
  for (const secret of known) assert.deepEqual(await verifyWebhook(signed([current, old]), secret), verified)
  for (const signer of [old, current]) assert.deepEqual(await verifyWebhook(signed([signer]), [old, current]), verified)
})

test('a message with another secret, changed, too old, of the future or unsigned is refused', async () => {
  const good = signed([current])
  const bad = [
    signed([another]),
    signed([current], { ageSeconds: 301 }),
    signed([current], { ageSeconds: -301 }),
    { ...good, body: body.replace('7', '8') },
    { ...good, headers: { ...good.headers, 'webhook-id': 'msg_8' } },
    { ...good, headers: { ...good.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 7) } },
    { ...good, headers: { ...good.headers, 'webhook-signature': 'v1,' } },
    { ...good, headers: { ...good.headers, 'webhook-signature': 'v1,%%%' } },
    { ...good, headers: { ...good.headers, 'webhook-signature': (good.headers['webhook-signature'] ?? '').slice(3) } },
    { ...good, headers: {} },
  ]
  for (const message of bad) await assert.rejects(verifyWebhook(message, current), WebhookError)
  await assert.rejects(verifyWebhook(good, []), WebhookError)
  for (const secret of ['', 'whsec_', 'whsec_%'])
    await assert.rejects(verifyWebhook(good, secret), /^TypeError: secret is missing/)
})

test('a receiver of Node passes its request headers and the text of the body', async (t) => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const received = { headers: request.headers, body: Buffer.concat(chunks).toString() }
    const message = await verifyWebhook(received, current).catch(() => undefined)
    response.writeHead(message ? 204 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const post = async (secret: string): Promise<number> =>
    (await fetch(url, { method: 'POST', ...signed([secret]) })).status
  assert.deepEqual([await post(current), await post(another)], [204, 401])
})
