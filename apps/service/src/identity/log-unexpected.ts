import type { Logger } from 'pino'
import { DatabaseTrouble } from 'pg-statements/database.ts'

/**
 * For work that is repeated in the background. While the database is away or busy, the next attempt will do, and clients
 * see the outage in their own requests. Any other error is a bug and is logged.
 */
export function logUnexpected(error: unknown, logger: Logger, message: string): void {
  if (!(error instanceof DatabaseTrouble)) logger.error({ err: error }, message)
}
