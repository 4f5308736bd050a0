/**
 * The documentation at `/docs/`: the files that `npm run build` made of `apps/docs/`. Both sides get all of it, because it
 * has no secret; an API that this port does not serve is missing only from the page to try it. Without a build, `/docs/`
 * says how to make one.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendingFile, serveFile } from './serve-file.ts'

const dist = fileURLToPath(new URL('../../../docs/dist/', import.meta.url))

export const isSiteBuilt = (): boolean => existsSync(dist)

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.tgz': 'application/gzip',
}

/** Nothing comes from elsewhere. Plain http must work, so requests are not upgraded to https. */
function policyOf(page: Buffer): string {
  const inline = [...page.toString().matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)]
  const scripts = inline.map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`)
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(scripts)].join(' '),
    "style-src 'self' 'unsafe-inline'", // Scalar sets styles while it runs, and each word of code has its colours.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

type Send = ReturnType<typeof sendingFile>

export function serveSite(app: FastifyInstance, installation: object): void {
  let files: ReadonlyMap<string, Send> | undefined
  const send = (path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    files ??= isSiteBuilt() ? readSite() : undefined // It may be built while the service runs.
    if (files === undefined)
      return reply
        .code(503)
        .type(types['.txt'] ?? '')
        .send(notBuilt)
    const found =
      files.get(path) ?? files.get(`${path}.html`) ?? files.get(`${path.replace(/(?<=.)\/?$/, '/')}index.html`)
    if (found !== undefined) return found(request, reply)
    if (request.headers.accept?.includes('text/html') === true) return files.get('404.html')?.(request, reply) ?? reply
    reply.callNotFound()
    return reply
  }
  const content = (): string => JSON.stringify(installation)
  serveFile(app, '/docs/installation.json', { type: types['.json'] ?? '', content })
  app.get('/llms.txt', (request, reply) => send('llms.txt', request, reply))
  app.get('/docs/', (request, reply) => send('index.html', request, reply))
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => send(request.params['*'], request, reply))
}

const notBuilt = 'The documentation is not built. Run: npm run build\n'

/** Every file by its path; each is read when it is first requested. */
function readSite(): ReadonlyMap<string, Send> {
  const paths = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => types[extname(path)])
  return new Map(
    paths.map((path) => {
      const ending = extname(path)
      const headers = (page: Buffer): Record<string, string> =>
        ending === '.html' ? { 'content-security-policy': policyOf(page) } : {}
      const content = (): Buffer => readFileSync(dist + path)
      const status = path === '404.html' ? 404 : 200
      return [path, sendingFile({ type: types[ending] ?? '', content, headers, status })]
    }),
  )
}
