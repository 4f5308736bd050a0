/** Receives an import batch by batch without changing anything yet: an interrupted one leaves nothing behind. */
import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FileFormat } from './file-format.ts'
import { kindOf, type ImportKind, type ImportKindName } from './kinds/kinds.ts'
import { readRows, type ReadRow } from './read-rows.ts'
import { rowsBytesMax, type RowsBody } from '../input/rows-body.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import {
  arrayLiteral,
  bool,
  bytes,
  int4,
  int8,
  json,
  jsonText,
  literal,
  nullable,
  plainJson,
  text,
} from 'pg-statements/types.ts'
import { Refusal, refusalError, type RefusalError } from '../vocabulary/refusals.ts'

export const batchRows = 1_000 // A batch holds its locks for about 10 ms. Twice as many rows were no faster.

/** An import that is about to be received. Until it is complete it changes nothing and leaves nothing behind when interrupted. */
const openImportSql = shortStatement('open-import', {
  sql: `insert into imports (import_kind, mode, dry_run, file_name, actor, request_id)
    values (:import_kind, :mode, :dry_run, :file_name, :actor, :request_id)
    returning import_id`,
  parameters: {
    import_kind: text,
    mode: text,
    dry_run: bool,
    file_name: nullable(text),
    actor: text,
    request_id: text,
  },
  columns: { import_id: int8 },
})

const storeBatchSql = statement(new URL('store-batch.sql', import.meta.url), {
  parameters: { import_id: int8, batch: int4, columns: plainJson, rows: int4, errors: jsonText },
  columns: { import_id: int8 },
})

const completeImportSql = statement(new URL('complete-import.sql', import.meta.url), {
  parameters: { import_id: int8, import_key: nullable(text), digest: bytes, file_format: json },
  columns: { import_id: int8 },
  refusedBy: ['imports_one_a_key'],
})

/** Deletes an import that was not received completely or is a repetition: it has changed nothing. */
const dropImportSql = shortStatement('drop-import', {
  sql: `delete from imports where import_id = :import_id and import_state = 'receiving'
    returning import_id`,
  parameters: { import_id: int8 },
  columns: { import_id: int8 },
})

const findImportByKeySql = shortStatement('find-import-by-key', {
  sql: `select import_id, coalesce(digest, '') as digest from imports
    where import_kind = :import_kind and import_key = :import_key`,
  parameters: { import_kind: text, import_key: text },
  columns: { import_id: int8, digest: bytes },
})

const findArticlesSql = statement(new URL('find-articles.sql', import.meta.url), {
  parameters: { articles: literal('text[]'), brands: literal('text[]') },
  columns: { place: int8, matches: int8, item_id: nullable(int8) },
})

export interface ImportRequest {
  readonly import_kind: ImportKindName
  readonly mode: 'all' | 'rows'
  readonly dry_run: boolean
  readonly file_name: string | undefined
  /** What the sender says of the file's form. */
  readonly file_format: FileFormat
  readonly import_key: string | undefined
  readonly rows_max: number
  readonly actor: string
  readonly request_id: string
}

/** Returns the import's id: the earlier one for the same key and the same bytes. */
export async function receiveImport(db: Database, request: ImportRequest, body: RowsBody): Promise<number> {
  const { import_kind, import_key, mode, dry_run, actor, request_id } = request
  const file_name = request.file_name ?? body.file_name ?? null
  const opened = await db.row(openImportSql, { import_kind, mode, dry_run, file_name, actor, request_id })
  const import_id = opened?.import_id ?? 0
  try {
    const { digest, file_format } = await storeRows(db, import_id, request, body)
    await body.confirm()
    const key = dry_run ? null : (import_key ?? null) // A dry run leaves the key for the import itself.
    const completed = await db.row(completeImportSql, { import_id, import_key: key, digest, file_format })
    if (completed !== undefined) return import_id
    const earlier = await findByKey(db, import_kind, import_key ?? '')
    if (!Buffer.from(earlier.digest).equals(digest))
      throw new Refusal('import_key_used', { import_key: import_key ?? '', import_id: earlier.import_id })
    await db.row(dropImportSql, { import_id })
    return earlier.import_id
  } catch (error) {
    await db.row(dropImportSql, { import_id }).catch(() => undefined) // Otherwise a job deletes it later.
    throw error
  }
}

async function findByKey(db: Database, import_kind: string, import_key: string) {
  const earlier = await db.row(findImportByKeySql, { import_kind, import_key })
  if (earlier === undefined) throw new Refusal('busy', {})
  return earlier
}

async function storeRows(
  db: Database,
  import_id: number,
  request: ImportRequest,
  body: RowsBody,
): Promise<{ digest: Buffer; file_format: Record<string, unknown> }> {
  const kind = kindOf(request.import_kind)
  const hash = createHash('sha256').update(request.mode)
  let received = 0
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      received += chunk.length
      done(received > rowsBytesMax ? new Refusal('body_too_large', { limit_bytes: rowsBytesMax }) : null, chunk)
    },
  })
  counted.on('error', () => undefined) // Its reader gets it. After a refusal there may be none, and the process would end.
  // A sender that disconnects ends the reading, even if it already has.
  if (body.stream.destroyed) throw new Refusal('busy', {})
  body.stream
    .on('error', (error) => counted.destroy(error))
    .on('aborted', () => counted.destroy(new Refusal('busy', {})))
  const { encoding = otherThanUtf8(body.charset), separator, decimal } = request.file_format
  const found: FileFormat = { encoding, separator, decimal }
  const isRepeated = repetitions(kind)
  let rows = 0
  let batch = 0
  let given: ReadRow[] = []
  let storing: Promise<unknown> = Promise.resolve()
  // While one batch is stored, the next is read.
  const store = async (): Promise<void> => {
    const read = kind.namesItems === true ? await withItems(db, given) : given
    given = []
    const judged = read.map((row) =>
      row.problems.length === 0 && isRepeated(row) ? { ...row, problems: [refusalError('row_repeated', {})] } : row,
    )
    const good = judged.filter(({ problems }) => problems.length === 0)
    const errors = JSON.stringify(judged.flatMap(errorsOf))
    await storing
    storing = db.row(storeBatchSql, { import_id, batch, columns: columnsOf(kind, good), rows: good.length, errors })
    storing.catch(() => undefined) // Awaited later.
    if (good.length > 0) batch++
  }
  const { media } = body
  for await (const some of readRows(body.stream.pipe(counted), { media, fields: kind.fields }, found)) {
    for (const read of some) {
      if (++rows > request.rows_max) throw new Refusal('import_too_large', { rows_max: request.rows_max })
      given.push({ ...read, problems: problemsOf(kind, read, request.import_key) })
      if (given.length === batchRows) await store()
    }
    await turn() // Yields to other requests, even when PostgreSQL is faster than we are.
  }
  await store()
  await storing
  return { digest: hash.digest(), file_format: { ...found } }
}

/** Programs often send this charset whatever the file is: only another one says something. */
const otherThanUtf8 = (charset: string | undefined): string | undefined =>
  charset === undefined || /^utf-?8$/.test(charset) ? undefined : charset

/** Finds the items of rows that name an article. One statement for a batch, and none if all rows have ids. */
async function withItems(db: Database, rows: readonly ReadRow[]): Promise<readonly ReadRow[]> {
  const named = rows.filter(({ row, problems }) => problems.length === 0 && row['item_id'] === undefined)
  if (named.length === 0) return rows
  const texts = (name: string): string =>
    arrayLiteral(named.map(({ row }) => (row[name] as string | undefined) ?? null))
  const matches = await db.rows(findArticlesSql, { articles: texts('article'), brands: texts('brand_name') })
  const items = new Map(named.map((row, n) => [row, matches[n]]))
  return rows.map((read) => {
    const match = items.get(read)
    if (match === undefined) return read
    if (match.item_id !== null) return { ...read, row: { ...read.row, item_id: match.item_id } }
    const code = match.matches === 0 ? 'article_not_found' : 'article_ambiguous'
    return { ...read, problems: [refusalError(code, { article: String(read.row['article']) }, 'article')] }
  })
}

/** Returns whether an earlier row has the key of this one. */
function repetitions(kind: ImportKind): (row: ReadRow) => boolean {
  const seen = new Map<number, Set<number>>()
  return ({ row }) => {
    const [first, second] = kind.key(row)
    const among = seen.get(first) ?? new Set()
    seen.set(first, among)
    if (among.has(second)) return true
    among.add(second)
    return false
  }
}

const none: readonly RefusalError[] = []

function problemsOf(
  kind: ImportKind,
  { row, problems }: ReadRow,
  import_key: string | undefined,
): readonly RefusalError[] {
  if (problems.length > 0) return problems
  const wrong = kind.problem?.(row, import_key)
  return wrong === undefined ? none : [wrong]
}

function columnsOf(kind: ImportKind, rows: readonly ReadRow[]): Record<string, string> {
  const columns = Object.entries(kind.columns).map(([name, of]) => [name, arrayLiteral(rows.map(({ row }) => of(row)))])
  return { lines: arrayLiteral(rows.map(({ line }) => line)), ...Object.fromEntries(columns) }
}

function errorsOf({ line, problems }: ReadRow): object[] {
  return problems.map(({ code, field, details }, place) => ({
    line,
    place,
    code,
    details: { ...details, ...(field === undefined ? {} : { field }) },
  }))
}
