/**
 * The `Idempotency-Key` header, for operations that would otherwise add something each time they are repeated.
 * A client that does not know whether a request arrived sends it again with the same key, and it takes effect once.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { printable } from '../vocabulary/printable.ts'
import { refusalError, type RefusalError } from '../vocabulary/refusals.ts'

/** Identifies a repeated request. Both are null when the request has no idempotency key. */
export interface Retry {
  readonly idempotency_key: string | null
  /** Digest of the parsed fields, so encoding and field order do not matter. */
  readonly request_digest: Uint8Array | null
}

const keyLengthMax = 255 // Longer than any UUID, and short enough for an index.
const name = 'Idempotency-Key'

/**
 * For the reference; `answer` says what a repeated request gets. It has no example: a prefilled key would repeat the
 * first request instead of making a new one.
 */
export const idempotencyKeyParameter = (answer: string): object => ({
  name,
  in: 'header',
  required: false,
  description: `Makes the request safe to retry: a request with the same key and the same fields within 24 hours changes nothing and ${answer}. Use a new random value, such as a UUID, for each new operation.`,
  schema: { type: 'string', pattern: `^[\\x21-\\x7e]{1,${keyLengthMax}}$` },
})

/** Undefined when there is none. Node joins a header that was sent twice with a comma and a space, which is invalid. */
export function readIdempotencyKey(headers: IncomingHttpHeaders, problems: RefusalError[]): string | undefined {
  const sent = headers['idempotency-key']
  if (sent === undefined) return undefined
  const key = String(sent)
  if (key.length <= keyLengthMax && /^[\x21-\x7e]+$/.test(key)) return key
  const rule = `1 to ${keyLengthMax} visible ASCII characters without spaces`
  problems.push(refusalError('field_invalid', { field: name, value: printable(key), rule }))
  return undefined
}

/** For a request without an idempotency key. */
export const noRetry: Retry = { idempotency_key: null, request_digest: null }

export function retryOf(idempotency_key: string, values: object): Retry {
  return { idempotency_key, request_digest: hash('sha256', JSON.stringify(values), 'buffer') }
}
