/** The operator API, called with the session's cookie. */
import { createOperatorClient, RefusedError, type ClientOptions } from '@parts-ordering/client/operator'

/** The browser adds the session's cookie; a header would hide it. */
const withCookie: NonNullable<ClientOptions['fetch']> = (url, init) => {
  const headers = new Headers(init.headers)
  headers.delete('authorization')
  return fetch(url, { ...init, headers, credentials: 'same-origin' })
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
  throw new Error(failure?.errors?.[0]?.message ?? String(answer.status))
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

/** The service's own sentence where there is one. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const codeOf = (error: unknown): string | undefined =>
  error instanceof RefusedError ? (error as { code?: string }).code : undefined

export const detailsOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof RefusedError
    ? (((error as unknown as Refused).errors[0]?.details ?? {}) as Record<string, unknown>)
    : {}

interface Refused {
  readonly errors: readonly { readonly details?: object }[]
}

export const isSignedOut = (error: unknown): boolean => codeOf(error) === 'unauthorized'
