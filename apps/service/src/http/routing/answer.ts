/**
 * The ways to answer, by the Accept header: JSON; a list as CSV; a page to print. Each runs the same operation. A list
 * as CSV is sent whole, page by page: a page is read when the caller has taken the one before it, so memory does not
 * grow with the list.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { csvFormOf } from '../../input/csv-fields.ts'
import { printPolicy } from '../../input/print-html.ts'
import { csvColumns, csvLine, csvRow, type CsvColumn, type CsvForm } from '../../input/write-csv.ts'
import { pageAfter, pageSizeMax, rowsAtOnce, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import { addVary, isKnown } from './cache.ts'
import type { Input } from './read-request.ts'
import type { Route } from './route.ts'

interface Answered {
  readonly input: Pick<Input, 'params' | 'query' | 'page'>
  /** Runs the operation, or another one in its place, for a page of its list. */
  readonly run: (page: PageRequest, operation?: Route['handle']) => Promise<unknown>
  /** Throws when the key is no longer valid: a long answer may outlast it. */
  readonly confirm: () => Promise<void>
  /** Leaves the trace of a list that is sent as CSV. */
  readonly exported: () => Promise<void>
}

const longWaitMs = 2_000

/** `find` returns the schema with this `$id`. */
export function answerFor(route: Route, find: (name: string) => TSchema) {
  return async (request: FastifyRequest, reply: FastifyReply, answered: Answered): Promise<unknown> => {
    const { accept } = request.headers
    if (route.csv === true || route.page !== undefined) addVary(reply, 'Accept')
    if (route.page !== undefined && prefers('text/html', accept)) return answerPage(route.page, reply, answered)
    if (route.csv === true && request.method === 'GET' && prefers('text/csv', accept))
      return answerCsv(request, reply, answered)
    return answerJson(request, reply, answered)
  }

  async function answerJson(
    request: FastifyRequest,
    reply: FastifyReply,
    { input, run, confirm }: Answered,
  ): Promise<object | string> {
    const started = performance.now()
    const result = await run(input.page)
    // The key may have been revoked during a long poll.
    if (route.method === 'GET' && performance.now() - started > longWaitMs) await confirm()
    if (route.paged !== true) return { status: 'ok', data: result }
    return inPieces(reply, pagedAnswer(request, reply, input.query, result))
  }

  async function answerPage(
    page: NonNullable<Route['page']>,
    reply: FastifyReply,
    { input, run }: Answered,
  ): Promise<string> {
    const printed = await readPrinted(input.page, route.paged === true, run)
    reply.type('text/html; charset=utf-8').header('content-security-policy', printPolicy)
    return page({ ...printed, params: input.params })
  }

  /** The key is checked again before each page, because sending a long list may take minutes. */
  async function answerCsv(
    request: FastifyRequest,
    reply: FastifyReply,
    { input, run, confirm, exported }: Answered,
  ): Promise<Readable | FastifyReply> {
    const { page, query } = input
    const { file } = route
    if (file !== undefined) {
      const tag = `W/"${String(await run(page, (asked) => file.version(asked)))}"`
      if (isKnown(request, reply, { seconds: 0, tag })) return reply.send()
    }
    const stream = await streamCsv({
      columns: columnsOf(route, find),
      form: csvFormOf(query),
      page,
      limited: query['limit'] !== undefined,
      read: async (next) => {
        if (next.after !== page.after) await confirm()
        return run(next)
      },
      ...(file === undefined ? {} : { rowOf: (row: unknown) => file.rowOf(row) }),
    })
    await exported()
    reply.type('text/csv; charset=utf-8; header=present')
    reply.header('content-disposition', `attachment; filename="${csvFileName(route)}"`)
    return stream
  }
}

/** A client that knows no pages sees none: `paging` is there when the request named a page, or when there is a next one. */
function pagedAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, cursor }: Input['query'],
  result: unknown,
): PagedAnswer {
  assert(isPage(result))
  const { data, next_cursor } = result
  if (next_cursor !== null) {
    const [path, search = ''] = request.url.split('?', 2)
    const next = new URLSearchParams(search)
    next.set('cursor', next_cursor)
    const others = reply.getHeader('link') // Of a deprecated route.
    const link = `<${path}?${next.toString()}>; rel="next"`
    reply.header('link', others === undefined ? link : `${link}, ${String(others)}`)
  }
  const isPaged = next_cursor !== null || (limit ?? cursor) !== undefined
  return isPaged ? { status: 'ok', data, paging: { next_cursor } } : { status: 'ok', data }
}

interface PagedAnswer {
  readonly status: 'ok'
  readonly data: readonly unknown[]
  readonly paging?: object
}

/** Writes a long list as JSON piece by piece, so that no other request waits for all of it. */
async function inPieces(reply: FastifyReply, answer: PagedAnswer): Promise<PagedAnswer | string> {
  const { data } = answer
  const write = reply.getSerializationFunction('200')
  if (data.length <= rowsAtOnce || write === undefined) return answer
  const list = '"data":['
  const [before = '', after = ''] = write({ ...answer, data: [] }).split(`${list}]`)
  const pieces: string[] = []
  for (let at = 0; at < data.length; at += rowsAtOnce) {
    const text = write({ status: 'ok', data: data.slice(at, at + rowsAtOnce) })
    pieces.push(text.slice(text.indexOf(list) + list.length, -']}'.length))
    await new Promise(setImmediate)
  }
  reply.type('application/json; charset=utf-8').serializer((text: unknown) => text as string)
  return `${before}${list}${pieces.join(',')}]${after}`
}

const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'data' in result && 'next_cursor' in result

/** Whether the caller prefers this media type to JSON. A caller that accepts anything gets JSON. */
export function prefers(media: string, accept: string | undefined): boolean {
  const weight = weightOf(media, accept)
  return weight > 0 && weight >= weightOf('application/json', accept)
}

/** Of a media type that is named, from 0 to 1. */
function weightOf(media: string, accept = ''): number {
  const weights = accept.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const [, weight = '1'] = parameters.map((text) => /^q\s*=\s*([\d.]+)$/.exec(text)).find((found) => found) ?? []
    return name === media ? Number(weight) : 0
  })
  return Math.max(...weights)
}

function columnsOf({ paged, data, file }: Route, find: (name: string) => TSchema): CsvColumn[] {
  if (file !== undefined) return csvColumns(file.row, find)
  return csvColumns(paged === true ? data : (data as unknown as { items: TSchema }).items, find)
}

/** The list's name without its folders: `orders.csv`. Ids in the path are left out. */
const csvFileName = ({ path }: Route): string =>
  `${path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? 'list'}.csv`

interface CsvList {
  readonly columns: readonly CsvColumn[]
  readonly form: CsvForm
  /** The first page. */
  readonly page: PageRequest
  /** Whether the caller named a limit: it gets one page then. */
  readonly limited: boolean
  readonly read: (page: PageRequest) => Promise<unknown>
  readonly rowOf?: (row: unknown) => object
}

/** Reads the first page, so that a refusal is still answered as one; then the others while the caller reads. */
async function streamCsv({ columns, form, page, limited, read, rowOf }: CsvList): Promise<Readable> {
  const firstPage = limited ? page : { ...page, limit: pageSizeMax }
  const first = pageOfRows(await read(firstPage))
  return Readable.from(textOf(), { objectMode: false })

  async function* textOf(): AsyncGenerator<string> {
    const names = csvLine(
      columns.map(({ name }) => name),
      form,
    )
    yield `${form.bom ? '\u{FEFF}' : ''}${names}${rowsOf(first.data)}`
    if (limited) return
    for (let { next_cursor } = first; next_cursor !== null;) {
      const next = pageOfRows(await read(pageAfter(firstPage, next_cursor)))
      next_cursor = next.next_cursor
      yield rowsOf(next.data)
    }
  }

  function rowsOf(data: readonly unknown[]): string {
    return data.map((row) => csvRow(rowOf === undefined ? row : rowOf(row), columns, form)).join('')
  }
}

const printedRowsMax = 1_000 // Orders on a pick list: more than a stock picks in a day.

/** For a page: the result, or as many rows of a list. */
async function readPrinted(
  page: PageRequest,
  paged: boolean,
  read: (page: PageRequest) => Promise<unknown>,
): Promise<{ result: unknown; more: boolean }> {
  if (!paged) return { result: await read(page), more: false }
  const first = pageOfRows(await read({ ...page, limit: pageSizeMax }))
  const rows = [...first.data]
  let { next_cursor } = first
  while (next_cursor !== null && rows.length < printedRowsMax) {
    const next = pageOfRows(await read(pageAfter({ ...page, limit: pageSizeMax }, next_cursor)))
    for (const row of next.data) rows.push(row)
    next_cursor = next.next_cursor
  }
  return { result: rows, more: next_cursor !== null }
}

/** A list without pages is one page. */
function pageOfRows(result: unknown): Page<unknown> {
  if (Array.isArray(result)) return { data: result, next_cursor: null }
  assert(isPage(result))
  return result
}
