/** Imports of items, prices and stock levels, each sent as one stream. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Import, ImportError, firstImportErrors, listImportErrors, listImports, readImport } from './import.ts'
import type { ImportRunner } from './import-runner.ts'
import { importKinds, type ImportKindName } from './kinds.ts'
import { rowMedia } from './read-rows.ts'
import { receiveImport } from './receive-import.ts'
import { operatorActor } from '../access/actor.ts'
import { choice, id, integer, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal, refusalError } from '../refusals.ts'

const waitMaxSeconds = 20 // Below the usual time-outs of proxies.
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

const texts: Record<ImportKindName, { operationId: string; summary: string; description: string }> = {
  items: {
    operationId: 'importItems',
    summary: 'Import items',
    description: 'Items with their products and brands. What is not in the file stays unchanged.',
  },
  prices: {
    operationId: 'importPrices',
    summary: 'Import prices',
    description: 'Prices of items in price lists. What is not in the file stays unchanged.',
  },
  'stock-levels': {
    operationId: 'importStockLevels',
    summary: 'Import stock levels',
    description:
      'Stock levels, as a count (`on_hand`) or as a change (`difference`). A row that would take a level below what orders have reserved is refused.',
  },
}

const howItWorks = `The body is NDJSON (one JSON object per line) or CSV (the first line names the columns), sent as one stream. It is received completely, then checked, then written in small batches, so that clients can keep ordering. With \`mode=all\` one bad row refuses the import and nothing is changed; with \`mode=rows\` the good rows are written. Every bad row is recorded with its line and reason. With an \`import_key\` the same content is imported once, however often it is sent.`

export const importOperatorRoutes = (runner: ImportRunner, rows_max: number): Route[] => [
  ...(Object.keys(importKinds) as ImportKindName[]).map((import_kind) =>
    operatorRoute({
      method: 'POST',
      path: `/operator/v1/imports/${import_kind}/`,
      operationId: texts[import_kind].operationId,
      urgency: 'never refused',
      tag: 'Catalogue',
      permission: 'catalogue',
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
        wait,
      },
      rows: importKinds[import_kind].fields,
      data: refer(Import),
      refusals: ['import_refused', 'import_key_used', 'import_too_large'],
      handle: async ({ actor, query, request_id, body }) => {
        const { mode = 'all', import_key } = query
        if (body === undefined)
          throw new Refusal('unsupported_media_type', { content_type: '', expected: rowMedia.ndjson })
        const import_id = await receiveImport(
          runner.db,
          { import_kind, mode, import_key, rows_max, actor: operatorActor(actor), request_id },
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
