/** Imports of items, prices and stock levels, each sent as one stream. */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodings } from './file-format.ts'
import {
  Import,
  ImportError,
  firstImportErrors,
  listImportErrors,
  listImports,
  readImport,
  undoDays,
} from './import.ts'
import { ImportChange, listImportChanges } from './import-changes.ts'
import type { ImportRunner } from './import-runner.ts'
import { importKinds, type ImportKindName } from './kinds/kinds.ts'
import { rowMedia } from './read-rows.ts'
import { receiveImport } from './receive-import.ts'
import { stopImport } from './stop-import.ts'
import { undoImport } from './undo-import.ts'
import { operatorActor } from '../identity/actor.ts'
import { choice, flag, id, integer, optional, text } from '../input/fields.ts'
import { csvSeparator, separators } from '../input/csv-fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal, refusalError } from '../vocabulary/refusals.ts'

const waitMaxSeconds = 20 // Below the usual timeouts of proxies.
const errorsShown = 100 // The others can be listed.
const lookAgainMs = 200

const wait = optional(
  integer({
    min: 0,
    max: waitMaxSeconds,
    description: `Seconds to wait for the import to finish, ${waitMaxSeconds} if absent. It continues in any case.`,
    example: 10,
  }),
)

const texts: Record<ImportKindName, { path: string; operationId: string; summary: string; description: string }> = {
  items: {
    path: '/operator/v1/imports/items/',
    operationId: 'importItems',
    summary: 'Import items',
    description: 'Items with their products and brands. What is not in the file stays unchanged.',
  },
  prices: {
    path: '/operator/v1/imports/prices/',
    operationId: 'importPrices',
    summary: 'Import prices',
    description: 'Prices of items in price lists. What is not in the file stays unchanged.',
  },
  'stock-levels': {
    path: '/operator/v1/imports/stock-levels/',
    operationId: 'importStockLevels',
    summary: 'Import stock levels',
    description:
      'Stock levels, as a count (`on_hand`) or as a change (`difference`). A row that would take a level below what orders have reserved is refused.',
  },
  arrivals: {
    path: '/operator/v1/imports/arrivals/',
    operationId: 'importArrivals',
    summary: 'Import expected arrivals',
    description:
      'What stocks expect of items. A row replaces all that the stock expected of its item; in CSV, `arrivals` is such as `2026-11-24:200 2026-12-01:40`, or `none`. What is not in the file stays unchanged.',
  },
  substitutes: {
    path: '/operator/v1/imports/substitutes/',
    operationId: 'importSubstitutes',
    summary: 'Import what replaces items',
    description:
      'Successors and substitutes. A row replaces both for its item; an empty one removes them. What is not in the file stays unchanged.',
  },
}

const howItWorks = `The body is NDJSON (one JSON object per line) or CSV (the first line names the columns), sent as one stream. The encoding, the separator and the decimal sign of CSV are detected unless they are named; \`file_format\` of the answer says how the file was read. It is received completely, then checked, then written in small batches, so that clients can keep ordering. With \`mode=all\` one bad row refuses the import and nothing is changed; with \`mode=rows\` the good rows are written. Every bad row is recorded with its line and reason. With \`dry_run=true\` nothing is written. With an \`import_key\` the same content is imported once, however often it is sent.`

export const importOperatorRoutes = (runner: ImportRunner, rows_max: number): Route[] => [
  ...(Object.keys(importKinds) as ImportKindName[]).map((import_kind) =>
    operatorRoute({
      method: 'POST',
      path: texts[import_kind].path,
      operationId: texts[import_kind].operationId,
      urgency: 'never refused',
      tag: 'Catalogue',
      permission: 'catalogue',
      trace: 'audit import_started',
      summary: texts[import_kind].summary,
      description: `${texts[import_kind].description} ${howItWorks}`,
      query: {
        mode: optional(
          choice<'all' | 'rows'>(['all', 'rows'], {
            description: 'All or nothing (the default), or each row separately.',
            example: 'rows',
          }),
        ),
        import_key: optional(
          text({
            max: 100,
            description: 'Your key for this import, for safe retries.',
            example: 'counted-2026-11-15',
          }),
        ),
        dry_run: optional(
          flag({
            description:
              'With `true`, the import is only checked: the answer has the figures, and its changes can be listed.',
            example: true,
          }),
        ),
        file_name: optional(
          text({
            description: 'The name of the file, to be shown. A `Content-Disposition` header can name it too.',
            example: 'prices.csv',
          }),
        ),
        encoding: optional(
          choice(encodings, {
            description: 'The encoding of the file. If absent, it is detected.',
            example: 'windows-1252',
          }),
        ),
        separator: optional({
          ...csvSeparator,
          schema: {
            ...csvSeparator.schema,
            description: 'What separates the columns of CSV, by name or as the character. If absent, it is detected.',
          },
        }),
        decimal: optional(
          choice<'point' | 'comma'>(['point', 'comma'], {
            description:
              'The decimal sign of numbers in CSV. If absent, it is detected. A comma before three digits decides nothing, since it may separate thousands.',
            example: 'comma',
          }),
        ),
        wait,
      },
      rows: importKinds[import_kind].fields,
      data: refer(Import),
      refusals: ['import_refused', 'import_key_used', 'import_too_large'],
      handle: async ({ actor, query, request_id, body }) => {
        const { mode = 'all', dry_run = false, import_key, file_name, encoding, separator, decimal } = query
        if (body === undefined)
          throw new Refusal('unsupported_media_type', { content_type: '', expected: rowMedia.ndjson })
        const import_id = await receiveImport(
          runner.db,
          {
            import_kind,
            mode,
            dry_run,
            import_key,
            file_name,
            file_format: { encoding, separator: separator && separators[separator], decimal },
            rows_max,
            actor: operatorActor(actor),
            request_id,
          },
          body,
        )
        runner.start(import_id)
        return refuseBad(runner.db, await finished(runner.db, import_id, query.wait))
      },
    }),
  ),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/imports/',
    operationId: 'listImports',
    urgency: 'never refused',
    tag: 'Catalogue',
    permission: 'view',
    summary: 'List imports',
    description: 'Newest first.',
    query: pageFields,
    data: refer(Import),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listImports(db, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/imports/{import_id}/',
    operationId: 'readImport',
    urgency: 'never refused',
    tag: 'Catalogue',
    permission: 'view',
    summary: 'Read an import',
    params: { import_id: id('The import.', 7) },
    query: { wait },
    data: refer(Import),
    refusals: ['import_not_found'],
    handle: ({ db, params, query }) => finished(db, params.import_id, query.wait ?? 0),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/imports/{import_id}/errors/',
    operationId: 'listImportErrors',
    urgency: 'never refused',
    tag: 'Catalogue',
    permission: 'view',
    summary: 'List import errors',
    description: 'Every bad row with its line and reason, sorted by line. An import that does not exist has none.',
    params: { import_id: id('The import.', 7) },
    query: pageFields,
    data: refer(ImportError),
    paged: true,
    refusals: [],
    handle: ({ db, params, page }) => listImportErrors(db, params.import_id, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/imports/{import_id}/changes/',
    operationId: 'listImportChanges',
    urgency: 'never refused',
    tag: 'Catalogue',
    permission: 'view',
    summary: 'List what an import changed',
    description: `Every row that the import changed, or would change in a dry run, with the values before and after. They are kept for ${undoDays} days. An import that does not exist, changed nothing or was undone has none.`,
    params: { import_id: id('The import.', 7) },
    query: pageFields,
    data: refer(ImportChange),
    paged: true,
    refusals: [],
    handle: ({ db, params, page }) => listImportChanges(db, params.import_id, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/imports/{import_id}/stop/',
    operationId: 'stopImport',
    urgency: 'never refused',
    tag: 'Catalogue',
    permission: 'catalogue',
    trace: 'audit import_stopped',
    summary: 'Stop an import',
    description:
      'Stops after the rows that are being written. Before anything is written, nothing has changed then. What was written before stays: the figures say how much, and undoing the import takes it back. Stopping a stopped import again changes nothing.',
    params: { import_id: id('The import.', 7) },
    query: { wait },
    data: refer(Import),
    refusals: ['import_not_found', 'import_finished'],
    handle: async ({ actor, params: { import_id }, query, request_id }) => {
      await stopImport(runner.db, { import_id, actor: operatorActor(actor), request_id })
      return finished(runner.db, import_id, query.wait)
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/imports/{import_id}/undo/',
    operationId: 'undoImport',
    urgency: 'never refused',
    tag: 'Catalogue',
    permission: 'catalogue',
    trace: 'catalogue items, prices, stock-levels, arrivals or substitutes',
    summary: 'Undo an import',
    description: `Restores what was before the import, for ${undoDays} days, if nothing that it wrote has changed since; otherwise nothing is undone, and the rows that have changed are listed. Added prices are deleted; added items stay but are taken off sale; names of products stay. Levels change by the difference that the import made, so orders that were placed and shipped meanwhile do not matter as long as the goods suffice. Undoing an undone import again changes nothing.`,
    params: { import_id: id('The import.', 7) },
    data: refer(Import),
    slow: true,
    refusals: ['import_not_found', 'import_not_undoable', 'import_changed_since'],
    handle: ({ actor, params, request_id }) =>
      undoImport(runner.db, { ...params, actor: operatorActor(actor), request_id }),
  }),
]

/** The finished import, or its current state when the time is up. */
async function finished(db: Database, import_id: number, waitSeconds = waitMaxSeconds): Promise<Import> {
  const deadline = performance.now() + waitSeconds * 1000
  for (let pause = 5; ; pause = Math.min(pause * 2, lookAgainMs)) {
    const found = await readImport(db, import_id)
    if (found.finished_at !== null || performance.now() + pause > deadline) return found
    await sleep(pause)
  }
}

/** Throws for an import in mode `all` that was refused. */
async function refuseBad(db: Database, sent: Import): Promise<Import> {
  if (sent.import_state !== 'refused') return sent
  const { import_id, rows, rows_refused } = sent
  const errors = await firstImportErrors(db, import_id, errorsShown)
  const bad = errors.map(({ line, code, message, field, details }) => ({
    code: code as 'row_malformed',
    message: `Line ${line}: ${message}`,
    ...(field === undefined ? {} : { field }),
    details: { line, ...details },
  }))
  throw new Refusal([refusalError('import_refused', { import_id, rows, rows_refused }), ...bad])
}
