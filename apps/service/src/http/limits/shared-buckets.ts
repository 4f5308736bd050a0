/** Token buckets shared by all processes, in Redis: one script call takes or charges tokens and returns what is left. */
import { readFileSync } from 'node:fs'
import { createClient, defineScript, type CommandParser } from '@redis/client'
import type { Logger } from 'pino'
import { overdrawnSecondsMax, type Buckets, type Rate } from './rate-limit.ts'

const deadlineDefaultMs = 250 // Redis answers within 1 ms; a request should not wait longer for its rate limit.
const retryEveryMs = 1_000 // After a missed deadline or a lost connection.

const takeToken = defineScript({
  SCRIPT: readFileSync(new URL('take-token.lua', import.meta.url), 'utf8'),
  NUMBER_OF_KEYS: 1,
  parseCommand: (parser: CommandParser, bucket: string, { rate_per_second, rate_burst }: Rate, charged: number) => {
    parser.pushKey(`parts:rate:${bucket}`)
    parser.push(String(rate_per_second), String(rate_burst), String(charged), String(overdrawnSecondsMax))
  },
  transformReply: (left: unknown) => Number(left),
})

/** A Redis outage never refuses a request: while Redis is unavailable, the process's own buckets count. */
export function sharedBuckets(url: string, own: Buckets, logger: Logger, deadlineMs = deadlineDefaultMs): Buckets {
  const redis = createClient({
    url,
    scripts: { takeToken },
    disableOfflineQueue: true,
    socket: { connectTimeout: 5_000, reconnectStrategy: retryEveryMs },
  })
  let unavailable = false
  let retryAt = 0
  redis.on('error', markUnavailable).on('ready', markAvailable)
  redis.connect().catch(markUnavailable)

  function markUnavailable(error: unknown): void {
    retryAt = performance.now() + retryEveryMs
    if (!unavailable)
      logger.warn({ err: error }, 'Redis is unavailable: each process limits the rate of keys on its own')
    unavailable = true
  }

  function markAvailable(): void {
    retryAt = 0
    if (unavailable) logger.info('Redis is available again')
    unavailable = false
  }

  /** With 0 tokens to charge, takes one if there is one. */
  async function takeShared(bucket: string, rate: Rate, charged: number): Promise<number> {
    if (unavailable) retryAt = performance.now() + retryEveryMs // Only this request tries; the others do not wait.
    const late = Promise.withResolvers<never>()
    // Our own event loop may have been blocked: then the answer is already here, and setImmediate lets it be read first.
    const timer = setTimeout(() => setImmediate(late.reject, new Error('Redis missed the deadline')), deadlineMs)
    try {
      const left = await Promise.race([redis.takeToken(bucket, rate, charged), late.promise])
      markAvailable()
      return left
    } catch (error) {
      markUnavailable(error)
      return charged === 0 ? own.take(bucket, rate) : own.charge(bucket, rate, charged)
    } finally {
      clearTimeout(timer)
    }
  }

  const isShared = (): boolean => redis.isReady && performance.now() >= retryAt

  return {
    take: (bucket, rate) => (isShared() ? takeShared(bucket, rate, 0) : own.take(bucket, rate)),
    charge: (bucket, rate, tokens) =>
      isShared() ? takeShared(bucket, rate, tokens) : own.charge(bucket, rate, tokens),
    close: () => {
      own.close()
      if (redis.isOpen) redis.destroy()
    },
  }
}
