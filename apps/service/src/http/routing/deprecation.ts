/** Announces that a route will be removed, with the headers that docs/reference/versioning.md promises. */
import assert from 'node:assert/strict'
import type { onRequestHookHandler } from 'fastify'

export interface Deprecation {
  /** The day from which on it is deprecated, `YYYY-MM-DD`. */
  readonly since: string
  /** It works until the end of this day at least. */
  readonly sunset: string
  /** The page that says what to use instead. */
  readonly link: string
}

const monthsMin = 12 // Promised by docs/reference/versioning.md.

/** `Deprecation` is that of RFC 9745, `Sunset` that of RFC 8594. */
export function deprecationHeaders({ since, sunset, link }: Deprecation): Readonly<Record<string, string>> {
  const earliest = Temporal.PlainDate.from(since).add({ months: monthsMin })
  assert(Temporal.PlainDate.compare(sunset, earliest) >= 0, `A sunset must not be before ${earliest.toString()}.`)
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    sunset: new Date(`${sunset}T23:59:59Z`).toUTCString(),
    link: `<${link}>; rel="deprecation"`,
  }
}

/** Sets the headers before anything is checked, so that refusals have them too. */
export function announceDeprecation(deprecation: Deprecation): onRequestHookHandler {
  const headers = deprecationHeaders(deprecation)
  return (_request, reply, done) => {
    reply.headers(headers)
    done()
  }
}
