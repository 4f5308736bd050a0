/** The API reference as documents: for clients at `/openapi.json`, for operators at `/operator/openapi.json`. `serve-site.ts` serves the pages. */
import type { FastifyInstance } from 'fastify'
import { makeDocuments, type ReferenceParts } from './documents.ts'
import { serveFile } from './serve-file.ts'

const type = 'application/json; charset=utf-8'

export function serveReference(
  app: FastifyInstance,
  parts: ReferenceParts,
  sides: readonly ('clients' | 'operators')[],
): void {
  const { client, operator } = makeDocuments(parts)
  if (sides.includes('clients')) serveFile(app, '/openapi.json', { type, content: () => JSON.stringify(client) })
  if (!sides.includes('operators')) return
  serveFile(app, '/operator/openapi.json', { type, content: () => JSON.stringify(operator) })
  app.get('/operator/docs/', (_request, reply) => reply.redirect('/docs/operator-api'))
}
