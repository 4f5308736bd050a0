/**
 * Hints that something was changed, so that the worker need not ask all the time. A process that has changed something
 * notifies the others in a transaction of its own, at most once in 50 ms: within the transaction of the change it would
 * take a lock of the whole server. A hint may get lost; those who wait for one look every ten seconds anyway.
 */
import { listen, type Listener } from 'pg-statements/listen.ts'
import type { Database, DatabaseSettings } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { text } from 'pg-statements/types.ts'

const channel = 'parts_changes'
const everyMs = 50

/** Its commit does not wait for the disk, and to PostgreSQL it is a statement that only reads. */
const sendHintSql = shortStatement('send-hint', {
  sql: `select pg_notify('${channel}', '')::text as sent, set_config('synchronous_commit', 'off', true) as setting`,
  parameters: {},
  columns: { sent: text, setting: text },
})

export interface HintSender {
  readonly note: () => void
  readonly close: () => void
}

export function openHintSender(db: Pick<Database, 'row'>): HintSender {
  let timer: NodeJS.Timeout | undefined
  let sentAt = -everyMs
  function send(): void {
    timer = undefined
    sentAt = performance.now()
    void db.row(sendHintSql, {}).catch(() => undefined) // The others look by themselves.
  }
  return {
    note: () => {
      timer ??= setTimeout(send, Math.max(0, sentAt + everyMs - performance.now())).unref()
    },
    close: () => clearTimeout(timer),
  }
}

export type Hints = Listener

export const listenForHints = (
  settings: Pick<DatabaseSettings, 'url' | 'timeZone' | 'statementTimeoutMs'>,
  onHint: () => void,
): Hints => listen(settings, channel, onHint)
