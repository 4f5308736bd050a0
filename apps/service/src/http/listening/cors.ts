/**
 * Lets pages of the configured origins call the API from a browser. The headers are set before anything else is done, so
 * every response has them, refusals under overload and broken paths included. @fastify/cors would leave those out, and
 * would answer OPTIONS on paths that do not exist.
 */
import type { RequestListener } from 'node:http'

const exposedHeaders =
  'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Link, ETag, Deprecation, Sunset, WWW-Authenticate'
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id'
const methods = 'GET, HEAD, PUT, PATCH, POST, DELETE'
const preflightSeconds = '7200' // Chromium keeps the answer to a preflight for at most two hours.

export function allowOrigins(origins: readonly string[], answer: RequestListener): RequestListener {
  if (origins.length === 0) return answer
  return (request, response) => {
    const { origin, 'access-control-request-method': preflight } = request.headers
    response.setHeader('vary', 'Origin')
    if (origin !== undefined && origins.includes(origin)) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('access-control-expose-headers', exposedHeaders)
      if (request.method === 'OPTIONS' && preflight !== undefined) {
        response.setHeader('access-control-allow-methods', methods)
        response.setHeader('access-control-allow-headers', requestHeaders)
        response.setHeader('access-control-max-age', preflightSeconds)
      }
    }
    answer(request, response)
  }
}
