/**
 * Ends a statement that waits for a lock, so that those behind it on the connection can run. Only a wait for a lock is
 * ended: a commit that waits for a standby would then be reported as uncertain.
 */
import { makeStatement } from '../statement.ts'
import { bool, int4, text } from '../types.ts'

export const cancelWaiting = makeStatement(
  'cancel-waiting',
  `select pg_cancel_backend(pid) as cancelled
   from pg_stat_activity
   where pid = :pid and backend_start <= :seen_at::timestamptz and wait_event_type = 'Lock'`,
  { parameters: { pid: int4, seen_at: text }, columns: { cancelled: bool } },
)
