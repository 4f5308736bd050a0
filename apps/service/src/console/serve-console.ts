/**
 * The console: the files that `npm run build` made of `apps/console/`, served from memory. Files with a digest in their name
 * never change; every other address below /console/ is a page of the application and gets its one HTML file.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

export interface ConsoleSettings {
  readonly identity_provider: boolean
  readonly key_sign_in: boolean
  /** Those of STATE_LABELS that differ from the English ones. */
  readonly state_labels: Readonly<Record<string, string>>
  readonly time_zone: string
}

const dist = new URL('../../../console/dist/', import.meta.url)

export const isConsoleBuilt = (): boolean => existsSync(new URL('index.html', dist))

/**
 * Nothing comes from elsewhere, no script is inline, and no page may frame the console. Mantine puts its variables into
 * style elements while it runs; they carry a nonce, which is new in every answer.
 */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

export function serveConsole(app: FastifyInstance, settings: ConsoleSettings): void {
  app.get('/console/settings.json', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(JSON.stringify(settings)),
  )
  if (!isConsoleBuilt()) {
    app.get('/console/', (_request, reply) =>
      reply.code(503).type('text/plain; charset=utf-8').send('The console is not built. Run: npm run build\n'),
    )
    return
  }
  const page = readFileSync(new URL('index.html', dist), 'utf8')
  for (const name of readdirSync(new URL('assets/', dist))) serveAsset(app, name)
  for (const path of ['/console/', '/console/*'])
    app.get(path, (_request, reply) => {
      const nonce = randomBytes(16).toString('base64url')
      return reply
        .headers({
          'content-security-policy': policyWith(nonce),
          'cache-control': 'no-cache',
          'referrer-policy': 'same-origin',
          'x-frame-options': 'DENY',
        })
        .type('text/html; charset=utf-8')
        .send(page.replace('__STYLE_NONCE__', nonce))
    })
}

function serveAsset(app: FastifyInstance, name: string): void {
  const type = types[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined) return
  const plain = readFileSync(new URL(`assets/${name}`, dist))
  let gzip: Buffer | undefined
  let brotli: Buffer | undefined
  app.get(`/console/assets/${name}`, (request, reply) => {
    const accepted = request.headers['accept-encoding'] ?? ''
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }).type(type)
    if (/\bbr\b/.test(accepted)) {
      brotli ??= brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
      return reply.header('content-encoding', 'br').send(brotli)
    }
    if (/\bgzip\b/.test(accepted)) {
      gzip ??= gzipSync(plain)
      return reply.header('content-encoding', 'gzip').send(gzip)
    }
    return reply.send(plain)
  })
}
