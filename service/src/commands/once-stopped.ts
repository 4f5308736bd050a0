import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** On SIGTERM or SIGINT calls `close` once, and ends the process with 1 if that takes longer than the grace time. */
export function onceStopped(logger: Logger, { shutdownGraceMs }: Config, close: () => Promise<void>): void {
  let called = false
  const stop = (signal: string): void => {
    if (called) return // Ctrl+C in a terminal reaches the workers by itself, and once more through the main process.
    called = true
    logger.info({ signal }, 'stopping')
    const forced = setTimeout(() => {
      logger.error('work was still under way after the grace time')
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
