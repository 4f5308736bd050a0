/**
 * The two limits that are token buckets: the rate of a caller, and invalid keys from an address.
 *
 * Each key of a client has a rate limit, and each operator has one for all keys and sessions: a token bucket that holds
 * `rate_burst` tokens and refills by `rate_per_second`. A request takes one token, and is refused before its body is read
 * if there is none. A request that turns out to be expensive, by its rows or by the size of its answer, is charged for
 * more afterwards, so that no caller can cause more load than its rate allows. The bucket may be overdrawn by that; the
 * next requests are refused until it is refilled. Answers report what is left in the headers of
 * draft-ietf-httpapi-ratelimit-headers-11.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { addressGroup, type ClientAddresses } from '../client-address.ts'
import { keyIdOf, type Authenticator } from '../../identity/authenticate.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export interface Rate {
  readonly rate_per_second: number
  readonly rate_burst: number
}

/** The tokens left in a bucket, rounded down; or, below zero, in how many seconds there will be one. */
type Left = number

export interface Buckets {
  /** Takes a token from a caller's bucket; below zero if there was none. */
  take: (bucket: string, rate: Rate) => Left | Promise<Left>
  /** Takes more tokens for a request that was admitted, even if there are not as many. */
  charge: (bucket: string, rate: Rate, tokens: number) => Left | Promise<Left>
  close: () => void
}

export interface RateLimit<A> {
  readonly bytesPerToken: number
  /** Refuses a request over the limit. In either case the headers report what is left. */
  readonly admit: (actor: A, reply: FastifyReply) => void | Promise<void>
  /** Charges an admitted request for its rows or for its answer. The headers then report what is left after that. */
  readonly charge: (actor: A, reply: FastifyReply, tokens: number) => void | Promise<void>
}

const rowsPerToken = 50 // Adding 50 lines to a cart takes about as long as a small request.

/** An answer costs a token more for each of these: 70 orders. A key with the default rate reads about 3 MB a second for long. */
export const clientBytesPerToken = 64 * 1024
/** Operators may send more requests than most clients: their long lists would take most of a processor's time otherwise. */
export const operatorBytesPerToken = 16 * 1024

/** The bucket of a caller, and how it is filled. */
export interface Limited extends Rate {
  readonly bucket: string
}

/** What a request costs besides its first token. */
export const tokensOfRows = (rows: number): number => Math.floor(rows / rowsPerToken)
export const configurationTokens = 9

const refused = new Counter({
  name: 'parts_rate_limited_total',
  help: 'Requests refused because their key or operator exceeded its rate limit.',
})

export function limitRate<A>(
  buckets: Buckets,
  limitedAs: (actor: A) => Limited,
  noteRefusal: (bucket: string, refusal: Refusal) => void,
  bytesPerToken: number,
): RateLimit<A> {
  const admit = (left: Left, { bucket, rate_per_second, rate_burst }: Limited, reply: FastifyReply): void => {
    report(left, { rate_per_second, rate_burst }, reply)
    if (left >= 0) return
    refused.inc()
    reply.header('retry-after', -left)
    const refusal = new Refusal('rate_limited', { rate_per_second, rate_burst })
    noteRefusal(bucket, refusal)
    throw refusal
  }
  return {
    bytesPerToken,
    admit: (actor, reply) => {
      const limited = limitedAs(actor)
      const left = buckets.take(limited.bucket, limited)
      return left instanceof Promise ? left.then((found) => admit(found, limited, reply)) : admit(left, limited, reply)
    },
    charge: (actor, reply, tokens) => {
      const limited = limitedAs(actor)
      const left = buckets.charge(limited.bucket, limited, tokens)
      return left instanceof Promise
        ? left.then((found) => report(found, limited, reply))
        : report(left, limited, reply)
    },
  }
}

/**
 * `t` is 1 while there are tokens: no rate is below one a second, so the next token comes within a second.
 * `q` is at least the rate: a bucket that holds less than one second's tokens refills more than once in it.
 */
function report(left: Left, { rate_per_second, rate_burst }: Rate, reply: FastifyReply): void {
  const secondsToFill = Math.ceil(rate_burst / rate_per_second)
  reply.header('ratelimit-policy', `"key";q=${Math.max(rate_burst, rate_per_second)};w=${secondsToFill}`)
  reply.header('ratelimit', `"key";r=${Math.max(left, 0)};t=${Math.max(-left, 1)}`)
}

const failed = new Counter({
  name: 'parts_failed_keys_total',
  help: 'Requests with an invalid key, by whether it was looked up (checked) or not, because of earlier ones (throttled).',
  labelNames: ['outcome'],
})

interface FailedKeys {
  /** Checks the key of a request; throws a Refusal when it is not valid, or when it is not looked up. */
  readonly guard: <A>(
    authenticate: Authenticator<A>['authenticate'],
    credentialOf?: (request: FastifyRequest) => string | undefined,
  ) => (request: FastifyRequest) => A | Promise<A>
  readonly close: () => void
}

/**
 * Counts, logs and limits requests with an invalid key, by the address that they come from. Over the limit, a key that is
 * not known to this process is refused without being looked up. Keys that are known still pass: others may share the
 * address. With null, failed keys are logged but not limited.
 */
export function openFailedKeys(perMinute: number | null, addresses: ClientAddresses): FailedKeys {
  const buckets = ownBuckets()
  const rate = perMinute === null ? null : { rate_per_second: perMinute / 60, rate_burst: perMinute }

  function refuseOverLimit(group: string): void {
    if (rate === null || buckets.charge(group, rate, 0) >= 1) return
    failed.inc({ outcome: 'throttled' })
    throw new Refusal('too_many_failed_keys', {})
  }

  /** Over the limit, a failure is counted but not logged: the log would grow with each. */
  function note(error: unknown, { raw, log }: FastifyRequest, credential: string | undefined): void {
    if (!(error instanceof Refusal) || error.errors[0]?.code !== 'unauthorized' || credential === undefined) return
    failed.inc({ outcome: 'checked' })
    const address = addresses.of(raw)
    if (rate !== null && buckets.take(addressGroup(address), rate) < 0) return
    const session_id = keyIdOf(credential, 'pss')
    const key_id = keyIdOf(credential, 'pos') ?? keyIdOf(credential, 'pso')
    log.warn({ address, key_id, session_id }, session_id === undefined ? 'invalid key' : 'invalid session')
  }

  return {
    guard:
      (authenticate, credentialOf = ({ headers }) => headers.authorization) =>
      (request) => {
        const credential = credentialOf(request)
        const beforeLookup = (): void => refuseOverLimit(addressGroup(addresses.of(request.raw)))
        try {
          const actor = authenticate(credential, beforeLookup)
          if (!(actor instanceof Promise)) return actor
          return actor.catch((error: unknown) => {
            note(error, request, credential)
            throw error
          })
        } catch (error) {
          note(error, request, credential)
          throw error
        }
      },
    close: () => buckets.close(),
  }
}

const sweepEveryMs = 10_000
const slack = 0.1 // Of a token: larger than the rounding error of clocks.
export const overdrawnSecondsMax = 10 // After the most expensive request a key waits as long, whatever its rate.

interface Bucket {
  /** Tokens in the bucket. Below zero if it is overdrawn. */
  readonly left: number
  readonly at: number
  /** When it will be full again. A full bucket need not be stored. */
  readonly fullAt: number
}

/** As `Buckets`, without promises. The limit of failed keys has one for each address. */
interface OwnBuckets {
  take: (bucket: string, rate: Rate) => Left
  charge: (bucket: string, rate: Rate, tokens: number) => Left
  size: () => number
  close: () => void
}

/** The buckets of this process, one for each recent caller. Refills use the caller's current rate. */
export function ownBuckets(now: () => number = () => performance.now()): OwnBuckets {
  const buckets = new Map<string, Bucket>()
  const timer = setInterval(() => {
    for (const [bucket, { fullAt }] of buckets) if (fullAt <= now()) buckets.delete(bucket)
  }, sweepEveryMs).unref()
  /** The tokens in a bucket now; `change` says how many it has afterwards. */
  function draw(bucket: string, { rate_per_second, rate_burst }: Rate, change: (available: number) => number): number {
    const moment = now()
    const before = buckets.get(bucket) ?? { left: rate_burst, at: moment }
    const available = Math.min(rate_burst, before.left + ((moment - before.at) / 1000) * rate_per_second)
    const left = change(available)
    buckets.set(bucket, { left, at: moment, fullAt: moment + ((rate_burst - left) / rate_per_second) * 1000 })
    return available
  }

  return {
    take: (bucket, rate) => {
      const available = draw(bucket, rate, (tokens) => (tokens >= 1 - slack ? tokens - 1 : tokens))
      return available >= 1 - slack ? leftOf(available - 1, rate) : -secondsToToken(available, rate)
    },
    charge: (bucket, rate, tokens) => {
      const least = -overdrawnSecondsMax * rate.rate_per_second
      let left = 0
      draw(bucket, rate, (available) => (left = Math.max(available - tokens, least)))
      return leftOf(left, rate)
    },
    close: () => clearInterval(timer),
    size: () => buckets.size,
  }
}

const leftOf = (tokens: number, rate: Rate): Left =>
  tokens >= -slack ? Math.max(0, Math.floor(tokens + slack)) : -secondsToToken(tokens, rate)

const secondsToToken = (tokens: number, { rate_per_second }: Rate): number =>
  Math.max(1, Math.ceil((1 - slack - tokens) / rate_per_second))
