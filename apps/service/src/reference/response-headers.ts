import { deprecationHeaders, type Deprecation } from '../http/routing/deprecation.ts'

/** The response headers that the document describes once; each response refers to those that it has. */
const header = (description: string, type: 'string' | 'integer', example: string | number): object => ({
  description,
  schema: { type, ...(type === 'integer' ? { format: 'int64' } : {}) },
  example,
})

export const responseHeaders = {
  'X-Request-Id': header(
    'Identifies the request in the log and in events. If the request has one, it is kept.',
    'string',
    'pC2k9QxZ-1f',
  ),
  RateLimit: header(
    'What is left of the rate limit of the key: `r` requests now, and one more in `t` seconds.',
    'string',
    '"key";r=99;t=1',
  ),
  'RateLimit-Policy': header(
    'The rate limit of the key: `q` requests at once, fully regained after `w` seconds.',
    'string',
    '"key";q=100;w=2',
  ),
  'Retry-After': header('After how many seconds to retry. With 429 and 503.', 'integer', 1),
  Link: header(
    'The URL of the next page. Absent on the last page.',
    'string',
    '</api/v1/orders/?limit=20&cursor=MTAyMzQ>; rel="next"',
  ),
  ETag: header(
    'Changes with the response. Send it as `If-None-Match`: as long as nothing has changed, the response is 304 without a body.',
    'string',
    'W/"KnX8To2nIFw9NSUG9Bc5Cc"',
  ),
  'Cache-Control': header('How long the response may be used again.', 'string', 'private, max-age=60'),
  Allow: header(
    'The methods that the path accepts. With 405, and with the 204 of OPTIONS.',
    'string',
    'GET, PUT, HEAD, OPTIONS',
  ),
  'WWW-Authenticate': header('How to authenticate. With 401.', 'string', 'ApiKey realm="Parts Ordering Service"'),
}

/** Described by the operation itself, because few have them. */
export function headersOfDeprecated(deprecation: Deprecation): object {
  const { deprecation: since = '', sunset = '' } = deprecationHeaders(deprecation)
  return {
    Deprecation: header('Since when the operation is deprecated, in seconds since 1970 (RFC 9745).', 'string', since),
    Sunset: header('Until when at least the operation works (RFC 8594).', 'string', sunset),
  }
}
