/**
 * The rate limit of a key: a token bucket that holds `rate_burst` requests and refills by `rate_per_second`. Answers
 * report it in the headers of draft-ietf-httpapi-ratelimit-headers-11. A request that finds the bucket empty is refused
 * before its body is read.
 */
import type { FastifyReply } from 'fastify'
import { Counter } from 'prom-client'
import { Refusal } from '../../refusals.ts'

export interface Rate {
  readonly rate_per_second: number
  readonly rate_burst: number
}

export interface Buckets {
  /** Takes a token from the key's bucket; returns how many are left, or -1 when it was empty. */
  take: (keyId: number, rate: Rate) => number | Promise<number>
  close: () => void
}

const refused = new Counter({
  name: 'parts_rate_limited_total',
  help: 'Requests refused because their key exceeded its rate limit.',
})

/** Refuses requests over the limit. In either case the headers report what is left. */
export function limitRate(
  buckets: Buckets,
): (key: Rate & { key_id: number }, reply: FastifyReply) => void | Promise<void> {
  return (key, reply) => {
    const left = buckets.take(key.key_id, key)
    return left instanceof Promise ? left.then((found) => report(found, key, reply)) : report(left, key, reply)
  }
}

/**
 * `t` is 1: no rate is below one a second, so the next token comes within a second.
 * `q` is at least the rate: a bucket that holds less than one second's tokens refills more than once in it.
 */
function report(left: number, { rate_per_second, rate_burst }: Rate, reply: FastifyReply): void {
  const secondsToFill = Math.ceil(rate_burst / rate_per_second)
  reply.header('ratelimit-policy', `"key";q=${Math.max(rate_burst, rate_per_second)};w=${secondsToFill}`)
  reply.header('ratelimit', `"key";r=${Math.max(left, 0)};t=1`)
  if (left >= 0) return
  refused.inc()
  throw new Refusal('rate_limited', { rate_per_second, rate_burst })
}

const sweepEveryMs = 10_000
const slack = 0.1 // Of a token: larger than the rounding error of clocks.

interface Bucket {
  /** Tokens in the bucket. Below zero by up to the slack, which is refilled first. */
  readonly left: number
  readonly at: number
  /** When it will be full again. A full bucket need not be stored. */
  readonly fullAt: number
}

/** The buckets of this process, for each key that was used recently. Refills use the key's current rate. */
export function ownBuckets(now: () => number = () => performance.now()): Buckets & { size: () => number } {
  const buckets = new Map<number, Bucket>()
  const timer = setInterval(() => {
    for (const [keyId, { fullAt }] of buckets) if (fullAt <= now()) buckets.delete(keyId)
  }, sweepEveryMs).unref()
  return {
    take: (keyId, { rate_per_second, rate_burst }) => {
      const moment = now()
      const before = buckets.get(keyId) ?? { left: rate_burst, at: moment }
      const available = Math.min(rate_burst, before.left + ((moment - before.at) / 1000) * rate_per_second)
      const taken = available >= 1 - slack
      const left = taken ? available - 1 : available
      buckets.set(keyId, { left, at: moment, fullAt: moment + ((rate_burst - left) / rate_per_second) * 1000 })
      return taken ? Math.max(0, Math.floor(left + slack)) : -1
    },
    close: () => clearInterval(timer),
    size: () => buckets.size,
  }
}
