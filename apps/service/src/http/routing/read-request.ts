/**
 * Reads requests: the body with its media types, size limit and decoding, then the fields of path, query and body.
 * Fastify reads no body (see `leaveBodiesUnread`), so nothing is read before the key was checked.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { text, type Fields } from '../../input/fields.ts'
import { parseJson, parsePairs, readInput, withMembers, type Sent } from '../../input/read-input.ts'
import { rowsBytesMax, type RowsBody } from '../../input/rows-body.ts'
import { readTable, tableMedia, type SentTable } from '../../input/table-body.ts'
import { noRetry, readIdempotencyKey, retryOf } from '../../retries/retry.ts'
import { pageOf } from '../../vocabulary/paging.ts'
import { printable } from '../../vocabulary/printable.ts'
import { Refusal, type RefusalError } from '../../vocabulary/refusals.ts'
import type { Route, RouteRequest } from './route.ts'

/**
 * How a route's body is written: a form or JSON from clients, JSON from operators, a table of a few rows, or a stream of
 * rows for imports.
 */
export type BodyFormat = keyof typeof bodyFormats

export const bodyFormats = {
  form: {
    media: ['application/x-www-form-urlencoded', 'application/json'],
    bytesMax: 16 * 1024, // The longest form, an order's address, stays under 6 KiB even when every character is escaped.
  },
  json: {
    media: ['application/json'],
    bytesMax: 256 * 1024, // A thousand order ids, with room to spare.
  },
  table: {
    media: [tableMedia.csv, tableMedia.tsv, tableMedia.json],
    bytesMax: 256 * 1024, // A thousand rows of 260 bytes, or of 130 characters in UTF-16: twice what a full row needs.
  },
  rows: { media: ['application/x-ndjson', 'text/csv'], bytesMax: rowsBytesMax },
} as const

/** A body of fields, not yet parsed. */
interface SentText {
  readonly text: string
  readonly media: string
}

export type SentBody = SentText | SentTable | RowsBody

/** Undefined when the request has no body. `confirm` is called by the reader of a stream, at its end. */
export async function receiveBody(
  request: FastifyRequest,
  format: BodyFormat,
  confirm: RowsBody['confirm'],
): Promise<SentBody | undefined> {
  if (format === 'rows') return openRows(request, confirm)
  return format === 'table' ? readTableBody(request) : readBodyText(request, format)
}

export type Input = Pick<
  RouteRequest<unknown, Fields, Fields, Fields>,
  'params' | 'query' | 'form' | 'table' | 'body' | 'page' | 'retry'
>

/** Reads path, query, body and idempotency key. All problems are reported at once. */
export function inputOf(
  route: Route,
  request: FastifyRequest<{ Params: Record<string, string> }>,
  client_id: number | undefined,
  body: SentBody | undefined,
): Input {
  const { path, params = {}, query = {}, form = {} } = route
  const problems: RefusalError[] = []
  const sent = {
    path: sentParams(request.params),
    query: sentQuery(request.url, Object.keys(query).length === 0 ? [] : problems), // Without parameters, all is ignored.
    body: body !== undefined && 'text' in body ? parseBody(body, form, problems) : nothingSent,
  }
  const values = readInput({ accepted: { path: params, query, body: form }, sent }, problems)
  const limitDefault = query['limit']?.schema['default']
  const page = pageOf({ path, client_id, ...values, limitDefault }, problems)
  const sentTable = body !== undefined && 'bytes' in body ? body : undefined
  const table = route.table === undefined ? undefined : readTable(sentTable, route.table, problems)
  const key = route.takesIdempotencyKey === true ? readIdempotencyKey(request.headers, problems) : undefined
  if (problems.length > 0) throw new Refusal(problems)
  const changing = (fields: object): string[] =>
    Object.keys(fields).filter((name) => !/^(expected|confirmed)$/.test(name))
  if (route.partial === true && changing(values.form).length === 0)
    throw new Refusal('nothing_to_change', { known: changing(form) })
  const requested = table === undefined ? [values.params, values.form] : [values.params, values.query, table.rows]
  return {
    ...values,
    page,
    ...(table === undefined ? {} : { table }),
    ...(body !== undefined && 'stream' in body ? { body } : {}),
    retry: key === undefined ? noRetry : retryOf(key, requested),
  }
}

const nothingSent: Sent = new Map()

const sentParams = (params: Record<string, string>): Sent =>
  new Map(Object.entries(params).map(([name, value]) => [name, [value]]))

function sentQuery(url: string, problems: RefusalError[]): Sent {
  const at = url.indexOf('?')
  return at === -1 ? nothingSent : parsePairs(url.slice(at + 1), problems)
}

/** Undefined when the request has no body. */
async function readBodyText(request: FastifyRequest, format: BodyFormat): Promise<SentText | undefined> {
  const bytes = await readBody(request, format)
  if (bytes === undefined) return undefined
  try {
    return { text: utf8.decode(bytes), media: mediaOf(request.headers['content-type'] ?? '') }
  } catch {
    throw new Refusal('malformed_request', { reason: 'the body is not UTF-8' })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The body as a table, not yet decoded. */
async function readTableBody(request: FastifyRequest): Promise<SentTable | undefined> {
  const bytes = await readBody(request, 'table')
  const type = request.headers['content-type'] ?? ''
  return bytes && { bytes, media: mediaOf(type), charset: charsetsOf(type)[0] }
}

async function readBody(request: FastifyRequest, format: BodyFormat): Promise<Buffer | undefined> {
  const { raw, headers, method } = request
  const { 'content-length': length, 'content-type': type, 'transfer-encoding': encoding } = headers
  const empty = encoding === undefined && Number(length ?? 0) === 0
  const needsBody = method !== 'GET' && method !== 'HEAD' && method !== 'DELETE'
  // Some clients send a Content-Type with every request: without a body it does not matter where none is needed.
  if (empty && (type === undefined || !needsBody)) return undefined
  const { bytesMax } = bodyFormats[format]
  if (Number(length ?? 0) > bytesMax) throw new Refusal('body_too_large', { limit_bytes: bytesMax })
  const bytes = await readBytes(raw, bytesMax)
  if (needsBody || bytes.length > 0) requireMedia(request, format)
  return bytes
}

function readBytes(raw: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const cutOff = (): void =>
      reject(new Refusal('malformed_request', { reason: 'the connection closed before the body was complete' }))
    if (raw.destroyed) return cutOff()
    const chunks: Buffer[] = []
    let length = 0
    raw
      .on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length <= bytesMax) chunks.push(chunk)
        else reject(new Refusal('body_too_large', { limit_bytes: bytesMax })) // The rest is read and dropped.
      })
      .once('end', () => {
        raw.off('error', cutOff).off('close', cutOff)
        resolve(Buffer.concat(chunks))
      })
      .once('error', cutOff)
      .once('close', cutOff)
  })
}

/** The fields of a body as text, which `readFields` then reads. Of JSON that cannot be read, that is the only error. */
function parseBody({ text, media }: SentText, fields: Fields, problems: RefusalError[]): Sent {
  if (media !== 'application/json') return withMembers(parsePairs(text, problems), fields, problems)
  const sent = parseJson(text, fields, problems)
  if (typeof sent === 'string') throw new Refusal('malformed_request', { reason: `the body is ${sent}` })
  return sent
}

/** The body as a stream of rows. It has no deadline: an import may take as long as bytes keep arriving. */
function openRows(request: FastifyRequest, confirm: RowsBody['confirm']): RowsBody {
  const type = requireMedia(request, 'rows')
  clearTimeout(request.bodyDeadline ?? undefined)
  const file_name = fileNameIn(request.headers['content-disposition'])
  return { stream: request.raw, media: mediaOf(type), charset: charsetsOf(type)[0], file_name, confirm }
}

/** The file's name without its folders, by RFC 6266. What cannot be read is left out: the name is only shown. */
function fileNameIn(disposition = ''): string | undefined {
  const [, coded] = /;\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition) ?? []
  const [, quoted, bare] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition) ?? []
  try {
    const name =
      coded === undefined ? Buffer.from(quoted ?? bare ?? '', 'latin1').toString() : decodeURIComponent(coded)
    return fileName.read(name.replaceAll('\\', '/').split('/').at(-1) ?? '')
  } catch {
    return undefined // Not percent-encoded UTF-8.
  }
}

const fileName = text({ description: 'The name of a file.', example: null })

/** Some senders read no answer before they have sent everything: the rest of a refused body is read and dropped. */
export function dropRest(raw: IncomingMessage): void {
  if (raw.complete) return
  raw.unpipe()
  raw.resume()
  const late = setTimeout(() => raw.destroy(), dropRestMs)
  raw.once('close', () => clearTimeout(late))
}

const dropRestMs = 10_000

/** Returns the Content-Type. Throws unless it is one of the format's, uncompressed, in UTF-8 except for tables and rows. */
function requireMedia({ headers }: FastifyRequest, format: BodyFormat): string {
  const coding = headers['content-encoding'] ?? ''
  // Decompressing would let a small body become a large one.
  if (!/^(identity)?$/i.test(coding.trim()))
    throw new Refusal('unsupported_content_encoding', { content_encoding: printable(coding) })
  const type = headers['content-type'] ?? ''
  const expected: readonly string[] = bodyFormats[format].media
  const isUtf8 = charsetsOf(type).every((charset) => /^utf-?8$/.test(charset))
  if (expected.includes(mediaOf(type)) && (isUtf8 || format === 'table' || format === 'rows')) return type
  throw new Refusal('unsupported_media_type', { content_type: type.slice(0, 100), expected: expected.join(' or ') })
}

const mediaOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

function charsetsOf(contentType: string): string[] {
  const [, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  return parameters
    .filter((parameter) => parameter.startsWith('charset'))
    .map((parameter) => /^charset\s*=\s*"?([^"]*)"?$/.exec(parameter)?.[1] ?? parameter)
}
