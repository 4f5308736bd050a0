/** Signatures of the Standard Webhooks specification, version 1.0.0: HMAC-SHA256 over id, timestamp and body. */
import { createHmac, randomBytes } from 'node:crypto'
import type { SecretBox } from './secrets/secret-box.ts'

const prefix = 'whsec_'

/** 192 bits, the minimum that the specification recommends. */
export const makeSecret = (): string => `${prefix}${randomBytes(24).toString('base64')}`

/** An endpoint's secrets, as they are stored. */
interface StoredSecrets {
  readonly client_id: number
  readonly secret: string
  readonly previous_secret: string | null
}

/** The secrets that are valid now, the current one first. */
export const openSecrets = (box: SecretBox, { client_id, secret, previous_secret }: StoredSecrets): string[] =>
  [secret, ...(previous_secret === null ? [] : [previous_secret])].map((stored) => box.open(stored, client_id))

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
