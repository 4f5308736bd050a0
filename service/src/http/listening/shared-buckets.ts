/** The buckets of all processes together, in Redis: one script a request, which takes and tells at once. */
import { readFileSync } from 'node:fs'
import { createClient, defineScript, type CommandParser } from '@redis/client'
import type { Logger } from 'pino'
import type { Buckets, Rate } from './rate-limit.ts'

const deadlineDefaultMs = 250 // Redis answers within one; whoever waits longer waits for nothing that is worth it.
const restMs = 1_000 // How long Redis is left alone after it was silent, and between two attempts to reach it again.

const takeToken = defineScript({
  SCRIPT: readFileSync(new URL('take-token.lua', import.meta.url), 'utf8'),
  NUMBER_OF_KEYS: 1,
  parseCommand: (parser: CommandParser, keyId: number, { rate_per_second, rate_burst }: Rate) => {
    parser.pushKey(`parts:rate:${keyId}`)
    parser.push(String(rate_per_second), String(rate_burst))
  },
  transformReply: (left: unknown) => Number(left),
})

/** Never a reason to refuse: while Redis is away or silent, the process' own buckets count. */
export function sharedBuckets(url: string, own: Buckets, logger: Logger, deadlineMs = deadlineDefaultMs): Buckets {
  const redis = createClient({
    url,
    scripts: { takeToken },
    disableOfflineQueue: true,
    socket: { connectTimeout: 5_000, reconnectStrategy: restMs },
  })
  let away = false
  let askAgainAt = 0
  redis.on('error', (error: Error) => lose(error)).on('ready', find)
  redis.connect().catch(lose)

  function lose(error: unknown): void {
    askAgainAt = performance.now() + restMs
    if (!away) logger.warn({ err: error }, 'Redis is away: each process limits the rate of keys by itself')
    away = true
  }

  function find(): void {
    askAgainAt = 0
    if (away) logger.info('Redis is back')
    away = false
  }

  async function ask(keyId: number, rate: Rate): Promise<number> {
    if (away) askAgainAt = performance.now() + restMs // One asks for all whether it is back.
    const late = Promise.withResolvers<never>()
    // If it was this process that slept, the answer is there by now and is read first.
    const timer = setTimeout(() => setImmediate(late.reject, new Error('Redis is silent')), deadlineMs)
    try {
      const left = await Promise.race([redis.takeToken(keyId, rate), late.promise])
      find()
      return left
    } catch (error) {
      lose(error)
      return own.take(keyId, rate)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    take: (keyId, rate) =>
      redis.isReady && performance.now() >= askAgainAt ? ask(keyId, rate) : own.take(keyId, rate),
    close: () => {
      own.close()
      if (redis.isOpen) redis.destroy()
    },
  }
}
