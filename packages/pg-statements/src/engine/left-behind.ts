/**
 * Sessions that were given up because nothing was heard from them, and that the server may still have: a commit that waits
 * for a standby goes on, and a server does not notice that a client is gone. Without a limit they would use up the server's
 * connections.
 */
import type pg from 'pg'

export interface ServerSession {
  readonly url: string
  readonly pid: number
  /** By the server's clock: a session with this process id that had begun by then is the same one. */
  readonly seenAt: string
}

export class LeftBehind {
  #sessions: ServerSession[] = []

  get size(): number {
    return this.#sessions.length
  }

  add(session: ServerSession): void {
    this.#sessions.push(session)
  }

  /** Asks the server, over a new connection to it, which ones it still has, and ends those that wait for a client. */
  async review(client: pg.Client, url: string): Promise<void> {
    const here = this.#sessions.filter((session) => session.url === url)
    if (here.length === 0) return
    const { rows } = await client.query<{ pid: number }>(
      `select pid
       from unnest($1::integer[], $2::timestamptz[]) l (pid, seen_at)
       join pg_stat_activity a using (pid)
       where a.backend_start <= l.seen_at and (a.state <> 'idle' or not pg_terminate_backend(pid))`,
      [here.map(({ pid }) => pid), here.map(({ seenAt }) => seenAt)],
    )
    const remaining = new Set(rows.map(({ pid }) => pid))
    this.#sessions = this.#sessions.filter((session) => session.url !== url || remaining.has(session.pid))
  }
}
