/**
 * Holds back keys and addresses that go on sending although they are over their limit. A refusal costs as much as a small
 * answer, so a flood of them would delay everybody. A source is refused a few times a second; what else it sends waits
 * for a second, which costs a socket and a timer, and is then refused without being looked at.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Counter } from 'prom-client'
import { addressGroup, type ClientAddresses } from '../client-address.ts'
import { answerHeldBack } from '../answer-failure.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { ownBuckets, type Rate } from './rate-limit.ts'

const refusedAtOnce: Rate = { rate_per_second: 10, rate_burst: 100 } // A hundred requests in flight are no flood.
const heldForMs = 1_000
const burstSeconds = 20 // A console or a page of the reference is some 30 requests; a whole office may open it at once.

const held = new Counter({
  name: 'parts_held_requests_total',
  help: 'Requests that waited for a second and were then refused, since their key or address sent too many, by which of them.',
  labelNames: ['source'],
})

export interface HoldBack {
  /** Holds the request if its source is held back; otherwise returns false. */
  readonly holds: (request: IncomingMessage, response: ServerResponse) => boolean
  /** To be called with each refusal of a key that is over its rate. `bucket` is the name of its bucket. */
  readonly noteRefusal: (bucket: string, refusal: Refusal) => void
  /** To be called with each request that had no valid key. */
  readonly noteKeyless: (request: IncomingMessage) => void
  readonly close: () => void
}

export interface HoldBackSettings {
  readonly addresses: ClientAddresses
  /** How many requests without a valid key an address may send; null for any number. */
  readonly keylessPerSecond: number | null
  /** The bucket of the right key or session, if it was used before. It may have expired. */
  readonly bucketOf: (headers: IncomingHttpHeaders) => string | undefined
  /** Browsers send a preflight for each URL, and no key with it. */
  readonly corsOrigins: readonly string[]
}

export function openHoldBack({ addresses, keylessPerSecond, bucketOf, corsOrigins }: HoldBackSettings): HoldBack {
  const buckets = ownBuckets()
  const keyless = keylessPerSecond && { rate_per_second: keylessPerSecond, rate_burst: burstSeconds * keylessPerSecond }
  const heldBack = new Map<string, { readonly refusal: Refusal; readonly until: number }>()
  const timer = setInterval(() => {
    for (const [source, { until }] of heldBack) if (until <= performance.now()) heldBack.delete(source)
  }, heldForMs).unref()

  const note = (source: string, rate: Rate, refusal: Refusal): void => {
    if (buckets.take(source, rate) < 0) heldBack.set(source, { refusal, until: performance.now() + heldForMs })
  }
  const isExempt = ({ method, url = '', headers: { origin = '' } }: IncomingMessage): boolean =>
    probe.test(url) || (method === 'OPTIONS' && corsOrigins.includes(origin))
  /** What a request without a valid key counts for: its key, if that is known here, so that it is not held against others. */
  const keylessSource = (request: IncomingMessage, bucket = bucketOf(request.headers)): string =>
    `keyless ${bucket ?? addressGroup(addresses.of(request))}`

  return {
    holds: (request, response) => {
      if (heldBack.size === 0 || isExempt(request)) return false
      const bucket = bucketOf(request.headers)
      const now = performance.now()
      const found = [bucket ?? '', keylessSource(request, bucket)]
        .map((source) => heldBack.get(source))
        .find((one) => one !== undefined && one.until > now)
      if (found === undefined) return false
      held.inc({ source: bucket === undefined ? 'address' : 'key' })
      const answer = setTimeout(() => answerHeldBack(found.refusal, request, response), heldForMs)
      response.once('close', () => clearTimeout(answer))
      return true
    },
    noteRefusal: (bucket, refusal) => note(bucket, refusedAtOnce, refusal),
    noteKeyless: (request) => {
      if (keyless && !isExempt(request)) note(keylessSource(request), keyless, tooMany)
    },
    close: () => {
      clearInterval(timer)
      buckets.close()
    },
  }
}

const tooMany = new Refusal('too_many_failed_keys', {})
const probe = /^\/(healthz|readyz)\/?(\?|$)/ // A load balancer must reach them whatever else comes from its address.
