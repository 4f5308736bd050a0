import type { FastifyInstance } from 'fastify'
import type { Drain } from './accept.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

/**
 * `/healthz`: the process runs. `/readyz`: it can serve requests, and is not shutting down. Neither needs a key.
 * `checkReady` throws when something is not ready. Requests at the same time share one check, so that nobody can cause
 * more than one at a time.
 */
export function serveHealth(app: FastifyInstance, drain: Drain, checkReady: () => Promise<void>): void {
  let checking: Promise<void> | undefined
  app.get('/healthz', async () => ({ status: 'ok', data: {} }))
  app.get('/readyz', async () => {
    if (drain.isStarted) throw new Refusal('shutting_down', {})
    checking ??= checkReady().finally(() => (checking = undefined))
    await checking
    return { status: 'ok', data: {} }
  })
}
