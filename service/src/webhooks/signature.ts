/** Signatures of the Standard Webhooks specification, version 1.0.0: HMAC-SHA256 over id, timestamp and body. */
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** 192 bits, the minimum that the specification recommends. */
export const makeSecret = (): string => `${prefix}${randomBytes(24).toString('base64')}`

/** One signature per valid secret, so that a receiver can switch to a new secret at any time. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(secret, signed)}`).join(' '),
  }
}

const signatureOf = (secret: string, signed: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(signed)
    .digest('base64')
