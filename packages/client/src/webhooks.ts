/** Checks the signature of webhook messages, with WebCrypto. */
import type { WebhookMessage, WebhookTest } from './dealer-api.ts'
import type { FeedMessage, FeedTest } from './operator-api.ts'

export type { WebhookMessage, WebhookTest } from './dealer-api.ts'
export type { FeedMessage, FeedTest } from './operator-api.ts'

/** What an endpoint received. `id` is the same in each attempt to deliver the message. */
export type VerifiedWebhook = (WebhookMessage | WebhookTest) & { readonly id: string }

/** What an endpoint of the operators' feed received: a page of the feed, or a test. */
export type VerifiedFeedMessage = (FeedMessage | FeedTest) & { readonly id: string }

/** A request as frameworks hand it over: `body` is the text or the bytes as received, not JSON that was written again. */
export interface ReceivedRequest {
  /** In any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string | Uint8Array
}

/** The message is not genuine, or too old. Answer with 401. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

const toleranceSeconds = 5 * 60 // An older message may be a replay by an attacker.

/**
 * Returns the message, or throws `WebhookError`. Pass the endpoint's secret; while you rotate it you may pass both. A
 * message is signed with both secrets for a day after a rotation, so one that knows either of them accepts it.
 */
export async function verifyWebhook(
  request: Request | ReceivedRequest,
  secret: string | readonly string[],
): Promise<VerifiedWebhook> {
  const { headers } = request
  const header = (wanted: string): string =>
    headers instanceof Headers
      ? (headers.get(wanted) ?? '')
      : String(Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '')
  const received = request instanceof Request ? await request.clone().text() : request.body
  const body = typeof received === 'string' ? received : new TextDecoder().decode(received)
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < toleranceSeconds))
    throw new WebhookError('The timestamp is missing or not within five minutes.')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = header('webhook-signature').split(' ')
  for (const one of [secret].flat()) {
    const bytes = bytesOf(one.replace(/^whsec_/, ''))
    if (bytes.length === 0) throw new TypeError('secret is missing: pass the secret of the endpoint, whsec_….')
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures)
      if (signature.startsWith('v1,') && (await crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), signed)))
        return { id, ...(JSON.parse(body) as WebhookMessage) }
  }
  throw new WebhookError('No signature matches the secret.')
}

/** As `verifyWebhook`, for an endpoint of the operators' feed. */
export const verifyFeedMessage = async (
  request: Request | ReceivedRequest,
  secret: string | readonly string[],
): Promise<VerifiedFeedMessage> =>
  (await verifyWebhook(request, secret)) as { readonly id: string } as VerifiedFeedMessage

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
