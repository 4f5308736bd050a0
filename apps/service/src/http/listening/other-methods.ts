/** Answers the methods that a path does not have: OPTIONS with 204 and `Allow`, the others with 405 and `Allow`. */
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../vocabulary/refusals.ts'

/** The methods of every path, by its form without the trailing slash. */
type MethodsByPath = ReadonlyMap<string, ReadonlySet<string>>

/** Notes the methods of the routes that are registered from now on. */
export function noteMethods(app: FastifyInstance): MethodsByPath {
  const noted = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = url.replace(/(?<=.)\/$/, '')
    const methods = noted.get(path) ?? new Set()
    noted.set(path, methods)
    for (const one of [method].flat()) methods.add(one)
  })
  return noted
}

export function answerOtherMethods(app: FastifyInstance, noted: MethodsByPath): void {
  for (const [url, methods] of noted) {
    const allowed = [...[...methods].filter((method) => method !== 'HEAD'), ...(methods.has('GET') ? ['HEAD'] : [])]
    const allow = [...allowed, 'OPTIONS'].join(', ')
    app.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) => reply.header('allow', allow).code(204).send(),
    })
    app.route({
      method: allMethods.filter((method) => !methods.has(method)),
      url,
      exposeHeadRoute: false,
      onRequest: async (request, reply) => {
        reply.header('allow', allow)
        throw new Refusal('method_not_allowed', { method: request.method, allowed })
      },
      handler: async () => undefined,
    })
  }
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
