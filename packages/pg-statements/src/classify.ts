/** Every error that a session can give, and what is done about it. */
import pg from 'pg'
import { DatabaseTrouble } from './trouble.ts'

export type Treatment =
  /** The session does not know the statement as it is now: prepare it again and send it again. Nothing was executed. */
  | 'prepare again'
  /** The server accepts no changes: replace the connection and send the statement on another. Nothing was executed. */
  | 'replace, read-only'
  /** The server is ending the session, or not ready for it. */
  | 'replace'
  /** Lost to a concurrent change: repeat it after a short wait. */
  | 'collided'
  /** It did not get its turn in time. */
  | 'busy'
  /** The server lacks something that it may have later. */
  | 'unavailable'
  /** A fault of the statement or its values. */
  | 'failed'

/** By SQLSTATE, or by its first two characters. */
const treatments: Readonly<Record<string, Treatment>> = {
  '08': 'replace', // Connection exceptions.
  '25006': 'replace, read-only', // On a standby, or after `default_transaction_read_only` was set.
  '25P03': 'replace', // Idle for too long.
  '25P04': 'replace',
  '26000': 'prepare again', // After `deallocate all`, or a pooler gave the session to somebody else.
  '40001': 'collided',
  '40P01': 'collided',
  '42P05': 'prepare again', // Somebody else's statement has this name.
  '53': 'unavailable', // Out of memory, disk or connections.
  '55P03': 'busy', // lock_timeout.
  '57014': 'busy', // statement_timeout; nearly always it waited for a lock.
  '57P01': 'replace', // Shutting down, or ended by an administrator.
  '57P02': 'replace', // Another session crashed.
  '57P03': 'replace', // Starting up.
  '57P04': 'replace', // The database was dropped.
  '57P05': 'replace', // Idle for too long.
}

/** The function of PostgreSQL that finds that a statement's columns have changed. The code is shared with other errors. */
const changedColumns = 'RevalidateCachedQuery'

export function treatmentOf(error: unknown): Treatment {
  if (error instanceof DatabaseTrouble) return error.kind
  if (!(error instanceof pg.DatabaseError)) return isConnectionFailure(error) ? 'unavailable' : 'failed'
  const code = error.code ?? ''
  if (code === '0A000') return error.routine === changedColumns ? 'prepare again' : 'failed'
  return treatments[code] ?? treatments[code.slice(0, 2)] ?? 'failed'
}

/** What `pg` and the socket below it report when the server cannot be reached or went away. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|ENOENT|ERR_TLS|ERR_SSL)/.test(code) ||
    /connect|terminat|timeout/i.test(error.message)
  )
}
