import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'

const secret = Buffer.from((process.env['WEBHOOK_SECRET'] ?? '').replace(/^whsec_/, ''), 'base64')
const toleranceSeconds = 5 * 60
const handled = new Set<string>() // In production: a table, written in the same transaction as the event's effects.

function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < toleranceSeconds)) return false
  const signed = `${String(id)}.${String(timestamp)}.${body}`
  const expected = createHmac('sha256', secret).update(signed).digest()
  const matches = (given: Buffer): boolean => given.length === expected.length && timingSafeEqual(given, expected)
  const all = String(signatures).split(' ') // Two while a secret is being rotated.
  return all.some((signature) => matches(Buffer.from(signature.replace(/^v1,/, ''), 'base64')))
}

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString() // Verify the bytes as received, not re-serialised JSON.
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const id = String(request.headers['webhook-id'])
  if (!handled.has(id)) console.log(body) // Handle the event here.
  handled.add(id)
  return response.writeHead(204).end()
}).listen(Number(process.env['PORT'] ?? 8088), '127.0.0.1', () => console.log('waiting for events'))
