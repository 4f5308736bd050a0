import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

interface Stopping {
  /** Called at once; then requests are served for the shutdown delay. Without it there is no delay. */
  readonly drain?: () => void
  readonly close: () => Promise<void>
}

/**
 * On SIGTERM or SIGINT, drains and closes once. If that takes longer than the delay and the grace time, the process
 * exits with 1. SIGINT comes from a person at a terminal, who has no load balancer to wait for.
 */
export function onceStopped(
  logger: Logger,
  { shutdownDelayMs, shutdownGraceMs }: Config,
  { drain, close }: Stopping,
): void {
  let called = false
  const stop = async (signal: string): Promise<void> => {
    if (called) return // Ctrl+C in a terminal reaches each process directly, and again through the main process.
    called = true
    logger.info({ signal }, 'stopping')
    const forced = setTimeout(() => {
      logger.error('work was still in progress after the grace time')
      process.exit(1)
    }, shutdownDelayMs + shutdownGraceMs)
    try {
      drain?.()
      if (drain !== undefined && signal === 'SIGTERM') await sleep(shutdownDelayMs)
      await close()
      clearTimeout(forced)
      logger.info('stopped')
    } catch (error) {
      logger.error({ err: error }, 'did not stop cleanly')
      process.exit(1)
    }
  }
  const onSignal = (signal: string): void => void stop(signal)
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
}
