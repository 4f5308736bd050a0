/**
 * How often a key may be used: a bucket of `rate_burst` requests that fills by `rate_per_second`. Told in the header fields of
 * draft-ietf-httpapi-ratelimit-headers-11. A request that finds the bucket empty is refused before its body is read.
 */
import type { FastifyReply } from 'fastify'
import { Counter } from 'prom-client'
import { Refusal } from '../../refusals.ts'

export interface Rate {
  readonly rate_per_second: number
  readonly rate_burst: number
}

export interface Buckets {
  /** Takes a request out of the key's bucket; returns how many are left in it, or -1 when it was empty. */
  take: (keyId: number, rate: Rate) => number | Promise<number>
  close: () => void
}

const refused = new Counter({
  name: 'parts_rate_limited_total',
  help: 'Requests refused because their key was used too often.',
})

/** Refuses what is too much, and tells in either case how much is left. */
export function limitRate(
  buckets: Buckets,
): (key: Rate & { key_id: number }, reply: FastifyReply) => void | Promise<void> {
  return (key, reply) => {
    const left = buckets.take(key.key_id, key)
    return left instanceof Promise ? left.then((found) => tell(found, key, reply)) : tell(left, key, reply)
  }
}

/**
 * The next request comes into the bucket within a second, since no rate is below one a second: hence `t`.
 * A bucket that holds less than comes in a second is filled more than once in it.
 */
function tell(left: number, { rate_per_second, rate_burst }: Rate, reply: FastifyReply): void {
  const secondsToFill = Math.ceil(rate_burst / rate_per_second)
  reply.header('ratelimit-policy', `"key";q=${Math.max(rate_burst, rate_per_second)};w=${secondsToFill}`)
  reply.header('ratelimit', `"key";r=${Math.max(left, 0)};t=1`)
  if (left >= 0) return
  refused.inc()
  throw new Refusal('rate_limited', { rate_per_second, rate_burst })
}

const forgetEveryMs = 10_000
const slack = 0.1 // Of a request: more than the rounding of clocks can be wrong by.

interface Bucket {
  /** Requests that were in it. A fraction of one may be missing, and is then the first to come in. */
  readonly left: number
  readonly at: number
  /** When it will be full again. A full one is as good as none. */
  readonly fullAt: number
}

/** The buckets of this process, of each key that was used lately. What comes in is reckoned at the rate that the key has now. */
export function ownBuckets(now: () => number = () => performance.now()): Buckets & { size: () => number } {
  const buckets = new Map<number, Bucket>()
  const timer = setInterval(() => {
    for (const [keyId, { fullAt }] of buckets) if (fullAt <= now()) buckets.delete(keyId)
  }, forgetEveryMs).unref()
  return {
    take: (keyId, { rate_per_second, rate_burst }) => {
      const moment = now()
      const before = buckets.get(keyId) ?? { left: rate_burst, at: moment }
      const there = Math.min(rate_burst, before.left + ((moment - before.at) / 1000) * rate_per_second)
      const taken = there >= 1 - slack
      const left = taken ? there - 1 : there
      buckets.set(keyId, { left, at: moment, fullAt: moment + ((rate_burst - left) / rate_per_second) * 1000 })
      return taken ? Math.max(0, Math.floor(left + slack)) : -1
    },
    close: () => clearInterval(timer),
    size: () => buckets.size,
  }
}
