import type { FastifyInstance } from 'fastify'

/** `openapi.json` and `operator-openapi.json`: what the app serves, in a form that shows differences line by line. */
export async function renderOpenapi(app: FastifyInstance): Promise<Record<string, string>> {
  const render = async (url: string): Promise<string> => {
    const { body } = await app.inject({ url })
    return `${JSON.stringify(JSON.parse(body), null, 2)}\n`
  }
  return {
    'openapi.json': await render('/openapi.json'),
    'operator-openapi.json': await render('/operator/openapi.json'),
  }
}
