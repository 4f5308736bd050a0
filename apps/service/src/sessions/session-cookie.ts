/**
 * The cookie that holds a session's token, and the check that a change which was sent with it comes from our own page.
 * SameSite=Strict already keeps the cookie from other sites; the check also covers other origins of the same site.
 *
 * A cookie that travels encrypted has the prefix `__Host-`: browsers accept it only from this very host, with `Path=/`,
 * so another host of the domain cannot set it. Without encryption browsers refuse the prefix.
 */
import type { Operator } from '../identity/actor.ts'
import { Refusal } from '../vocabulary/refusals.ts'

interface RequestHeaders {
  readonly host?: string | undefined
  readonly cookie?: string | undefined
  readonly origin?: string | undefined
}

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
    if ((headers.authorization ?? '') !== '' || sessionTokenOf(headers, consoleOrigin) === undefined)
      return byKey(request)
    if (method !== 'GET' && method !== 'HEAD') refuseOtherOrigins(headers, consoleOrigin)
    return bySession(request)
  }

const cookieName = 'parts_session'

export function sessionTokenOf(headers: RequestHeaders, consoleOrigin: string): string | undefined {
  return cookieOf(headers, cookieName, { secure: mustBeSecure(headers.host, consoleOrigin) })
}

export function cookieOf(
  { cookie = '' }: RequestHeaders,
  name: string,
  { secure }: { secure: boolean },
): string | undefined {
  const sent = fullName(name, secure)
  for (const pair of cookie.split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === sent) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** `Set-Cookie` for a new session. */
export const sessionCookie = (token: string, { secure, maxAgeSeconds }: { secure: boolean; maxAgeSeconds: number }) =>
  setCookie(cookieName, token, { secure, maxAgeSeconds, sameSite: 'Strict' })

/** `Set-Cookie` that removes it. */
export const endedCookie = ({ secure }: { secure: boolean }): string =>
  setCookie(cookieName, '', { secure, maxAgeSeconds: 0, sameSite: 'Strict' })

export function setCookie(
  name: string,
  value: string,
  { secure, maxAgeSeconds, sameSite }: { secure: boolean; maxAgeSeconds: number; sameSite: 'Strict' | 'Lax' },
): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', `SameSite=${sameSite}`]
  return [`${fullName(name, secure)}=${value}`, ...attributes, ...(secure ? ['Secure'] : [])].join('; ')
}

const fullName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

/** Whether cookies must travel encrypted: always, except on this machine. */
export function mustBeSecure(host: string | undefined, consoleOrigin: string): boolean {
  if (consoleOrigin !== '') return consoleOrigin.startsWith('https:')
  return !/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host ?? '')
}

/** Throws unless the request comes from a page of the console's own origin. */
function refuseOtherOrigins({ host = '', origin = '' }: RequestHeaders, consoleOrigin: string): void {
  const own = consoleOrigin === '' ? hostOf(origin) === host && host !== '' : origin === consoleOrigin
  if (!own) throw new Refusal('origin_not_allowed', { origin: origin.slice(0, 100) })
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)
