/** The operator API, called with the session's cookie. */
import { createOperatorClient, RefusedError, type ClientOptions } from '@parts-ordering/client/operator'

const keepaliveMax = 4_000 // Browsers keep 64 KB of requests alive in all.

/** The browser adds the session's cookie; a header would hide it. A change is sent even if the page is closed meanwhile. */
const withCookie: NonNullable<ClientOptions['fetch']> = (url, init) => {
  const headers = new Headers(init.headers)
  headers.delete('authorization')
  if (new URL(url).searchParams.get('cursor') === asCsv.cursor) return download(url, { ...init, headers })
  const keepalive = typeof init.body === 'string' && init.body.length < keepaliveMax
  return fetch(url, { ...init, headers, keepalive, credentials: 'same-origin' })
}

/**
 * In place of a cursor: the list is downloaded as CSV. The same call reads and downloads it, so that the file has what the
 * page shows, and no page repeats its filters.
 */
export const asCsv = { cursor: 'csv' }

async function download(url: string, init: RequestInit & { headers: Headers }): Promise<Response> {
  const address = new URL(url)
  for (const name of ['cursor', 'limit']) address.searchParams.delete(name)
  address.searchParams.set('csv_bom', 'true') // Excel takes it for another encoding otherwise.
  if (document.documentElement.lang !== 'en') address.searchParams.set('csv_decimal', 'comma') // And semicolons between.
  init.headers.set('accept', 'text/csv')
  const answer = await fetch(address, { ...init, credentials: 'same-origin' })
  if (!answer.ok) return answer
  const [, name = 'list.csv'] = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? []
  const href = URL.createObjectURL(await answer.blob())
  Object.assign(document.createElement('a'), { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
  return Response.json({ status: 'ok', data: [] })
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
