import type { FastifyInstance } from 'fastify'
import { addVary } from '../routing/cache.ts'

/** `/` points to the reference below `prefix`: browsers are redirected, programs get its addresses. */
export function serveRoot(app: FastifyInstance, prefix: string): void {
  app.get('/', async ({ headers }, reply) => {
    addVary(reply, 'Accept')
    if (headers.accept?.includes('text/html') === true) return reply.redirect(`${prefix}/docs/`)
    return { status: 'ok', data: { reference: `${prefix}/docs/`, openapi: `${prefix}/openapi.json` } }
  })
}
