import type { RequestHeaders } from './session-cookie.ts'
import { refuseOtherOrigins, sessionTokenOf } from './session-cookie.ts'
import type { Operator } from '../identity/actor.ts'

interface CheckedRequest {
  readonly method: string
  readonly headers: RequestHeaders & { readonly authorization?: string | undefined }
}

type Check<R> = (request: R) => Operator | Promise<Operator>

/**
 * Checks an operator by the key in the Authorization header or, without that header, by the session's cookie. A browser
 * adds the cookie to requests on its own, so a change that relies on it must come from our own page.
 */
export const byKeyOrSession =
  <R extends CheckedRequest>(
    { consoleOrigin }: { consoleOrigin: string },
    { byKey, bySession }: { byKey: Check<R>; bySession: Check<R> },
  ): Check<R> =>
  (request) => {
    const { method, headers } = request
    if ((headers.authorization ?? '') !== '' || sessionTokenOf(headers) === undefined) return byKey(request)
    if (method !== 'GET' && method !== 'HEAD') refuseOtherOrigins(headers, consoleOrigin)
    return bySession(request)
  }
