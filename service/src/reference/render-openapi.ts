import type { FastifyInstance } from 'fastify'

/** `openapi.json`, generated from the routes of an app. */
export async function renderOpenapi(app: FastifyInstance): Promise<string> {
  await app.ready()
  return `${JSON.stringify(app.swagger(), null, 2)}\n`
}
