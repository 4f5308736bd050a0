/** The operator API, called with the session's cookie. */
import { createOperatorClient, RefusedError, type ClientOptions } from '@parts-ordering/client/operator'

const keepaliveMax = 4_000 // Browsers keep 64 KB of requests alive in all.

/** The browser adds the session's cookie; a header would hide it. A change is sent even if the page is closed meanwhile. */
const withCookie: NonNullable<ClientOptions['fetch']> = (url, init) => {
  const headers = new Headers(init.headers)
  headers.delete('authorization')
  const keepalive = typeof init.body === 'string' && init.body.length < keepaliveMax
  return fetch(url, { ...init, headers, keepalive, credentials: 'same-origin' })
}

export const api = createOperatorClient({
  url: location.origin,
  key: 'session', // Never sent; see withCookie.
  fetch: withCookie,
  retries: 2,
})

/** Signs in. The key is sent once and kept nowhere. */
export async function signIn(key: string): Promise<void> {
  const answer = await fetch('/operator/v1/sessions/', {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: '{}',
    credentials: 'same-origin',
  })
  if (answer.ok) return
  const failure = (await answer.json().catch(() => null)) as { errors?: { message: string }[] } | null
  throw Object.assign(new Error(String(answer.status)), failure?.errors?.[0])
}

/** What the console must know before anybody is signed in. */
export interface Settings {
  readonly identity_provider: boolean
  readonly key_sign_in: boolean
  readonly state_labels: Readonly<Record<string, string>>
  readonly time_zone: string
}

export const readSettings = async (): Promise<Settings> =>
  (await fetch('/console/settings.json')).json() as Promise<Settings>

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as { code?: string }).code : undefined

export const detailsOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof RefusedError
    ? (((error as unknown as Refused).errors[0]?.details ?? {}) as Record<string, unknown>)
    : {}

interface Refused {
  readonly errors: readonly { readonly details?: object }[]
}

export const isSignedOut = (error: unknown): boolean => codeOf(error) === 'unauthorized'
