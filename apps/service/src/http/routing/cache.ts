/** Lets clients keep the response of a lookup for a while, and ask cheaply whether it has changed. */
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'

/**
 * How long lookups may be used again. Fixed ones change only with a deployment, and operators maintain others. What changes
 * with each order is asked again each time.
 */
export const lookupSeconds = { fixed: 3_600, maintained: 60, live: 0 }

/**
 * A hook for successful responses. The tag is weak because the response may be compressed. `private`, and `Vary` for a
 * program that uses several keys: a response belongs to the client of the key.
 */
export const cacheFor =
  (seconds: number): onSendHookHandler =>
  (request, reply, payload, done) => {
    if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload)
    const tag = `W/"${hash('sha256', payload, 'base64url').slice(0, 22)}"`
    if (!isKnown(request, reply, { seconds, tag })) return done(null, payload)
    done(null, request.method === 'HEAD' ? payload : null) // Fastify drops the body of a HEAD, and fails without one.
  }

/** Sends the tag of the response; whether the caller has it already, so that the answer is a 304. */
export function isKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  { seconds, tag }: { seconds: number; tag: string },
): boolean {
  addVary(reply, 'Authorization')
  reply.header('cache-control', `private, max-age=${seconds}`).header('etag', tag)
  if (!matches(request.headers['if-none-match'] ?? '', tag)) return false
  reply.code(304).removeHeader('content-type')
  return true
}

const matches = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => opaque(one.trim()) === opaque(tag))

const opaque = (tag: string): string => tag.replace(/^W\//, '')

/** Adds a request header on which the response depends, for caches. */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}
