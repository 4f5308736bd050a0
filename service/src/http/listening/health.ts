import type { FastifyInstance } from 'fastify'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4 } from 'pg-statements/types.ts'
import { Refusal } from '../../refusals.ts'

const pingSql = statement(new URL('ping.sql', import.meta.url), { parameters: {}, columns: { one: int4 } })

/**
 * `/healthz`: the process runs. `/readyz`: it can serve requests, and is not shutting down. Neither needs a key.
 * `checkReady` throws when something other than the database is not ready.
 */
export function serveHealth(app: FastifyInstance, db: Database, checkReady: () => void = () => undefined): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok', data: {} }))
  app.get('/readyz', { schema: { hide: true } }, async () => {
    if (closing) throw new Refusal('shutting_down', {})
    await db.row(pingSql, {})
    checkReady()
    return { status: 'ok', data: {} }
  })
}
