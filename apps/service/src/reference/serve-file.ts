/**
 * Serves a file from memory: it is made, compressed and digested once, when it is first requested. Serving needs no file
 * descriptor, so that a client that opens many connections cannot exhaust them, and costs little whatever the file.
 */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface StaticFile {
  readonly type: string
  readonly content: () => string | Buffer
  readonly headers?: (content: Buffer) => Readonly<Record<string, string>>
  readonly status?: number
}

export function serveFile(app: FastifyInstance, path: string, file: StaticFile): void {
  app.get(path, sendingFile(file))
}

export function sendingFile({ type, content, headers = () => ({}), status = 200 }: StaticFile) {
  const plain = once(() => formOf(Buffer.from(content())))
  const compressed = once(() => formOf(gzipSync(plain().body)))
  const own = once(() => headers(plain().body))
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const isCompressed = accepts(request, 'gzip')
    const { body, etag } = isCompressed ? compressed() : plain()
    reply.headers({
      ...own(),
      etag,
      'cache-control': 'no-cache', // A copy may be kept, and must be compared by its ETag before each use.
      vary: 'accept-encoding',
    })
    if (isKnown(request, etag)) return reply.code(304).send()
    if (isCompressed) reply.header('content-encoding', 'gzip')
    return reply.code(status).type(type).send(body)
  }
}

interface Form {
  readonly body: Buffer
  readonly etag: string
}

/** The ETag is that of the bytes sent, so it differs between the forms. */
const formOf = (body: Buffer): Form => ({ body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` })

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

const accepts = ({ headers }: FastifyRequest, encoding: string): boolean =>
  (headers['accept-encoding'] ?? '')
    .split(',')
    .some((one) => new RegExp(`^\\s*${encoding}\\s*(;\\s*q=(?!0(\\.0*)?\\s*$).*)?$`, 'i').test(one))

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',')
  return known.some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
