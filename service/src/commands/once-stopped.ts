import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** On SIGTERM or SIGINT, calls `close` once. If that takes longer than the grace time, the process exits with 1. */
export function onceStopped(logger: Logger, { shutdownGraceMs }: Config, close: () => Promise<void>): void {
  let called = false
  const stop = (signal: string): void => {
    if (called) return // Ctrl+C in a terminal reaches each process directly, and again through the main process.
    called = true
    logger.info({ signal }, 'stopping')
    const forced = setTimeout(() => {
      logger.error('work was still in progress after the grace time')
      process.exit(1)
    }, shutdownGraceMs)
    close()
      .then(() => {
        clearTimeout(forced)
        logger.info('stopped')
      })
      .catch((error: unknown) => {
        logger.error({ err: error }, 'did not stop cleanly')
        process.exit(1)
      })
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
}
