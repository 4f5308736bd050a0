/**
 * The `Idempotency-Key` header field, on operations that would otherwise add something each time they are repeated.
 * Whoever does not know whether a request arrived sends it again with the same key, and it happens once.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { printable } from '../../input/printable.ts'
import { refusalError, type RefusalError } from '../../refusals.ts'

const keyLengthMax = 255 // Longer than any UUID, and short enough for an index.
const name = 'Idempotency-Key'

/** JSON schema for the reference. */
export const idempotencyKeySchema = {
  type: 'object',
  properties: {
    [name]: {
      type: 'string',
      pattern: `^[\\x21-\\x7e]{1,${keyLengthMax}}$`,
      description:
        'Makes the request safe to repeat: with the same key and the same fields it happens once, and each repetition within 24 hours gets the first answer again. Take a new random value, such as a UUID, for each thing you want to happen.',
      examples: ['0c6fc6c2-5b5c-4f2e-9a53-0d6a2b8f5f0e'],
    },
  },
}

/** Undefined when there is none. A field that was sent twice has come as one value with a space in it. */
export function readIdempotencyKey(headers: IncomingHttpHeaders, problems: RefusalError[]): string | undefined {
  const sent = headers['idempotency-key']
  if (sent === undefined) return undefined
  const key = String(sent)
  if (key.length <= keyLengthMax && /^[\x21-\x7e]+$/.test(key)) return key
  const rule = `1 to ${keyLengthMax} visible ASCII characters without spaces`
  problems.push(refusalError('field_invalid', { field: name, value: printable(key), rule }))
  return undefined
}
