import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const process = randomBytes(6).toString('base64url')
let count = 0

/** The client's own X-Request-Id if it is a plain word, so that its log and ours can be laid side by side; otherwise one of ours. */
export function newRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = headers['x-request-id']
  return typeof own === 'string' && /^[\w.-]{1,64}$/.test(own) ? own : `${process}-${(count++).toString(36)}`
}
