/**
 * How often a key may be used: a bucket of `rate_burst` requests that fills by `rate_per_second`. Told in the header fields of
 * draft-ietf-httpapi-ratelimit-headers-11. A request that finds the bucket empty is refused before its body is read.
 */
import type { FastifyReply } from 'fastify'
import { Counter } from 'prom-client'
import { Refusal } from '../refusals.ts'

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

/** The next request comes into the bucket within a second, since no rate is below one a second: hence the window. */
function tell(left: number, { rate_per_second, rate_burst }: Rate, reply: FastifyReply): void {
  const secondsToFill = Math.ceil(rate_burst / rate_per_second)
  reply.header('ratelimit-policy', `"key";q=${rate_burst};w=${secondsToFill}`)
  reply.header('ratelimit', `"key";r=${Math.max(left, 0)};t=1`)
  if (left >= 0) return
  refused.inc()
  throw new Refusal('rate_limited', { rate_per_second, rate_burst })
}

const forgetEveryMs = 10_000
const slack = 0.1 // Of a request: more than the rounding of clocks can be wrong by.

/** The buckets of this process: one number for each key that was used lately. */
export function ownBuckets(now: () => number = () => performance.now()): Buckets & { size: () => number } {
  /** When the bucket will be full again, by key. A full one is as good as none. */
  const fullAt = new Map<number, number>()
  const timer = setInterval(() => {
    for (const [keyId, at] of fullAt) if (at <= now()) fullAt.delete(keyId)
  }, forgetEveryMs).unref()
  return {
    take: (keyId, { rate_per_second, rate_burst }) => {
      const tokenMs = 1000 / rate_per_second
      const moment = now()
      const next = Math.max(fullAt.get(keyId) ?? 0, moment) + tokenMs
      const left = rate_burst - (next - moment) / tokenMs
      if (left < -slack) return -1
      fullAt.set(keyId, next)
      return Math.max(0, Math.floor(left + slack))
    },
    close: () => clearInterval(timer),
    size: () => fullAt.size,
  }
}
