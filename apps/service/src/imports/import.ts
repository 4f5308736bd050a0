/** An import as operators see it: its progress and its errors. */
import Type, { type Static } from 'typebox'
import { cutPage, idAfter, type Page, type PageRequest, positionAfter } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, json, nullable, text } from 'pg-statements/types.ts'
import { errorCodeWords, Refusal, refusalError, type RefusalCode } from '../vocabulary/refusals.ts'
import { textOrNull, word, type WordList } from '../vocabulary/schema-parts.ts'
import type { FileFormat } from './file-format.ts'

/** How long an import can be undone, and what it changed is kept. Mistakes of a weekend are found within it. */
export const undoDays = 7

export const importStates = [
  'receiving',
  'waiting',
  'checking',
  'applying',
  'undoing',
  'done',
  'refused',
  'failed',
  'stopped',
  'undone',
] as const

const states: WordList = { name: 'ImportState', meaning: 'How far an import has come.', words: importStates }
const kinds: WordList = {
  name: 'ImportKind',
  meaning: 'What the rows of an import are.',
  words: ['items', 'prices', 'stock-levels', 'arrivals', 'substitutes'],
}
const modes: WordList = {
  name: 'ImportMode',
  meaning: '`all`: all rows or none. `rows`: each row separately.',
  words: ['all', 'rows'],
}

export const Import = Type.Object(
  {
    import_id: Type.Integer({ description: 'Identifies the import.' }),
    import_kind: word(kinds, 'What was imported.'),
    mode: word(modes, 'All rows or none, or each row separately.'),
    import_key: Type.Union([Type.String(), Type.Null()], { description: 'The key given by the sender.' }),
    file_name: textOrNull('The name of the file, if the sender named it.'),
    file_format: Type.Unsafe<FileFormat | null>({
      type: ['object', 'null'],
      properties: {
        encoding: { type: 'string', description: 'The encoding, such as `utf-8` or `windows-1252`.' },
        separator: { type: 'string', description: 'What separates the columns of CSV.' },
        decimal: { type: 'string', description: 'The decimal sign of CSV: `point` or `comma`.' },
      },
      description: 'How the file was read: as the sender said, or as was detected.',
    }),
    dry_run: Type.Boolean({ description: 'Only checks: the figures are what it would change.' }),
    import_state: word(
      states,
      'It ends as `done`, as `refused`, which changed nothing, or as `stopped`: the figures are what was written before. `undone`: what was before the import is restored. `failed` is a bug in the service: report it; if rows_added and rows_changed are 0, nothing was changed.',
    ),
    rows: Type.Integer({ description: 'Number of rows, including bad ones.' }),
    rows_done: Type.Integer({ description: 'Rows handled in the current state.' }),
    rows_added: Type.Integer({ description: 'Rows that are new.' }),
    rows_changed: Type.Integer({ description: 'Rows that changed something.' }),
    rows_unchanged: Type.Integer({
      description: 'Rows that changed nothing, or whose target was changed by someone else meanwhile.',
    }),
    rows_refused: Type.Integer({ description: 'Bad rows; their errors can be listed.' }),
    created_at: Type.String({ description: 'When receiving began.' }),
    finished_at: Type.Union([Type.String(), Type.Null()], { description: 'When it was done or refused.' }),
    actor: Type.String({ description: 'Who sent it.' }),
    undoable: Type.Boolean({
      description: `Whether it can be undone if its rows have not changed since: for ${undoDays} days.`,
    }),
  },
  {
    $id: 'Import',
    examples: [
      {
        import_id: 7,
        import_kind: 'prices',
        mode: 'all',
        import_key: 'prices-2026-11-15',
        file_name: 'prices.csv',
        file_format: { encoding: 'windows-1252', separator: ';', decimal: 'comma' },
        dry_run: false,
        import_state: 'done',
        rows: 2000,
        rows_done: 2000,
        rows_added: 12,
        rows_changed: 310,
        rows_unchanged: 1678,
        rows_refused: 0,
        created_at: '2026-11-15 06:00:00',
        finished_at: '2026-11-15 06:00:01',
        actor: 'operator 3 key 3, ERP',
        undoable: true,
      },
    ],
  },
)
export type Import = Static<typeof Import>

export const ImportError = Type.Object(
  {
    line: Type.Integer({ description: 'Line on which the row begins, counted from 1.' }),
    code: word(errorCodeWords, 'What is wrong with the row.'),
    message: Type.String({ description: 'A sentence that names the value and the rule.' }),
    field: Type.Optional(Type.String({ description: 'The field that caused it.' })),
    details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The figures, by name.' })),
  },
  {
    $id: 'ImportError',
    examples: [{ line: 17, ...refusalError('item_not_found', { item_id: 99 }) }],
  },
)
export type ImportError = Static<typeof ImportError>

const shownColumns = {
  import_id: int8,
  import_kind: text,
  mode: text,
  import_key: nullable(text),
  file_name: nullable(text),
  file_format: nullable(json),
  dry_run: bool,
  import_state: text,
  rows: int8,
  rows_done: int8,
  rows_added: int8,
  rows_changed: int8,
  rows_refused: int8,
  created_at: datetime,
  finished_at: nullable(datetime),
  actor: text,
  undoable: bool,
}

const readImportSql = statement(new URL('read-import.sql', import.meta.url), {
  parameters: { import_id: int8, undo_days: int4 },
  columns: shownColumns,
})

const listImportsSql = statement(new URL('list-imports.sql', import.meta.url), {
  parameters: { before_id: int8, page_size: int8, undo_days: int4 },
  columns: shownColumns,
})

const listImportErrorsSql = shortStatement('list-import-errors', {
  sql: `select line, place, code, details from import_errors
    where import_id = :import_id and (line, place) > (:after_line, :after_place)
    order by line, place
    limit :page_size`,
  parameters: { import_id: int8, after_line: int8, after_place: int4, page_size: int8 },
  columns: { line: int8, place: int4, code: text, details: json },
})

type StoredImport = Omit<Import, 'rows_unchanged' | 'file_format'> & { file_format: object | null }

export const findImport = (db: Database, import_id: number): Promise<StoredImport | undefined> =>
  db.row(readImportSql, { import_id, undo_days: undoDays })

export async function readImport(db: Database, import_id: number): Promise<Import> {
  const found = await findImport(db, import_id)
  if (found === undefined) throw new Refusal('import_not_found', { import_id })
  return importOf(found)
}

export async function listImports(db: Database, page: PageRequest): Promise<Page<Import>> {
  const before_id = idAfter(page) ?? Number.MAX_SAFE_INTEGER
  const rows = await db.rows(listImportsSql, { before_id, page_size: page.limit + 1, undo_days: undoDays })
  return cutPage(rows.map(importOf), page, ({ import_id }) => import_id)
}

/** Sorted by line. */
export async function listImportErrors(db: Database, import_id: number, page: PageRequest): Promise<Page<ImportError>> {
  const [, line = '0', place = '0'] = positionAfter(page, /^(\d+)-(\d+)$/) ?? []
  const rows = await db.rows(listImportErrorsSql, {
    import_id,
    after_line: Number(line),
    after_place: Number(place),
    page_size: page.limit + 1,
  })
  const { data, next_cursor } = cutPage(rows, page, (row) => `${row.line}-${row.place}`)
  return { data: data.map(errorOf), next_cursor }
}

export async function firstImportErrors(db: Database, import_id: number, limit: number): Promise<ImportError[]> {
  const start = { import_id, after_line: 0, after_place: 0 }
  return (await db.rows(listImportErrorsSql, { ...start, page_size: limit })).map(errorOf)
}

/** Only codes and figures are stored; the sentence comes from the table of refusals. */
function errorOf({ line, code, details }: { line: number; code: string; details: object }): ImportError {
  return { line, ...refusalError(code as RefusalCode, details as never) }
}

function importOf(row: StoredImport): Import {
  const unchanged = row.import_state === 'done' ? row.rows - row.rows_added - row.rows_changed - row.rows_refused : 0
  const rows_done = row.finished_at === null ? row.rows_done : row.rows
  const { rows_refused, created_at, finished_at, actor, undoable, ...head } = row
  return { ...head, rows_done, rows_unchanged: unchanged, rows_refused, created_at, finished_at, actor, undoable }
}
