/** Completes received imports batch by batch. Any process can continue where another stopped. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findImport, undoDays } from './import.ts'
import { kindOf } from './kinds/kinds.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { shortStatement, statement, type Statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, int8Array, plainJson, text } from 'pg-statements/types.ts'

const advanceImportSql = statement(new URL('advance-import.sql', import.meta.url), {
  parameters: { import_id: int8, import_state: text, batchwise: bool },
  columns: { import_state: text },
  refusedBy: ['imports_one_at_a_time'],
})

const readBatchSql = shortStatement('read-batch', {
  sql: `select b.columns, b.refused, i.stop_requested from import_batches b
    join imports i on i.import_id = b.import_id
    where b.import_id = :import_id and b.batch = :batch`,
  parameters: { import_id: int8, batch: int4 },
  columns: { columns: plainJson, refused: int8Array, stop_requested: bool },
})

/** The batches left to handle in a state. */
const pendingBatchesSql = shortStatement('pending-batches', {
  sql: `select b.batch from imports i
    join import_batches b on b.import_id = i.import_id and b.done_in <> :import_state
    where i.import_id = :import_id and i.import_state = :import_state
    order by b.batch`,
  parameters: { import_id: int8, import_state: text },
  columns: { batch: int4 },
})

const failImportSql = statement(new URL('fail-import.sql', import.meta.url), {
  parameters: { import_id: int8, import_state: text },
  columns: { import_state: text },
})

/** Heartbeat of the process that runs an import or waits with it. */
const keepAliveSql = shortStatement('keep-alive', {
  sql: `update imports set updated_at = now()
    where import_id = :import_id and finished_at is null
    returning import_id`,
  parameters: { import_id: int8 },
  columns: { import_id: int8 },
})

const unfinishedImportsSql = statement(new URL('unfinished-imports.sql', import.meta.url), {
  parameters: { silent_seconds: int4 },
  columns: { import_id: int8 },
})

/** Deletes imports whose sender disconnected while sending. */
const dropCutOffImportsSql = shortStatement('drop-cut-off-imports', {
  sql: `delete from imports
    where finished_at is null and import_state = 'receiving'
      and updated_at < now() - make_interval(secs => :silent_seconds::integer)
    returning import_id`,
  parameters: { silent_seconds: int4 },
  columns: { import_id: int8 },
})

const expireImportChangesSql = statement(new URL('expire-import-changes.sql', import.meta.url), {
  parameters: { undo_days: int4 },
  columns: { import_id: int8 },
})

const expireImportsSql = statement(new URL('expire-imports.sql', import.meta.url), {
  parameters: { kept_days: int4 },
  columns: { expired: int8 },
})

const atOnce = 2 // As many as the runner has connections.
const aliveEveryMs = 2_000
const silentSeconds = 10 // A process without a heartbeat for this long is gone.
const lookAgainMs = 200

interface Run {
  readonly stopping: () => boolean
  /** Whether to wait while another import of the same kind is in progress. */
  readonly waiting: boolean
}

/** Runs until the import is finished or `stopping`. Throws when the database is unavailable: it can be continued later. */
export async function runImport(db: Database, import_id: number, run: Run): Promise<void> {
  const at = { import_id, import_state: 'waiting' }
  try {
    await runSteps(db, at, run)
  } catch (error) {
    if (error instanceof DatabaseTrouble) throw error
    const failed = await db.row(failImportSql, at)
    if (failed?.import_state === 'undoing') await runImport(db, import_id, run)
    throw error
  }
}

interface At {
  readonly import_id: number
  import_state: string
}

async function runSteps(db: Database, at: At, { stopping, waiting }: Run): Promise<void> {
  const { import_id } = at
  let pause = 2
  while (!stopping()) {
    const found = await findImport(db, import_id)
    if (found === undefined || found.finished_at !== null) return
    const { import_state } = found
    at.import_state = import_state
    const { steps, preview } = kindOf(found.import_kind)
    const step = found.dry_run && import_state === 'checking' ? preview : steps[import_state as 'checking']
    if (step !== undefined) await runPending(db, step, { import_id, import_state }, stopping)
    const advanced = await db.row(advanceImportSql, { import_id, import_state, batchwise: step !== undefined })
    if (advanced !== undefined) continue
    if (!waiting) return
    await db.row(keepAliveSql, { import_id })
    await finishAbandoned(db, stopping)
    await sleep(pause)
    pause = Math.min(pause * 2, lookAgainMs)
  }
}

/** Handles the batches left in a state, several at once. Some may remain: for the next round, or if it is stopped. */
async function runPending(db: Database, step: Statement, at: At, stopping: () => boolean): Promise<void> {
  await db.row(keepAliveSql, { import_id: at.import_id })
  const pending = (await db.rows(pendingBatchesSql, at)).values()
  let aliveAt = performance.now()
  const work = async (): Promise<void> => {
    for (const { batch } of pending) {
      if (stopping()) return
      if (!(await runBatch(db, step, at, batch))) return
      if (performance.now() - aliveAt < aliveEveryMs) continue
      aliveAt = performance.now()
      await db.row(keepAliveSql, { import_id: at.import_id })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Returns false, and does nothing, if an operator has stopped the import. What it changed is undone nevertheless. */
async function runBatch(
  db: Database,
  step: Statement,
  { import_id, import_state }: At,
  batch: number,
): Promise<boolean> {
  const stored = await db.row(readBatchSql, { import_id, batch })
  if (stored === undefined) return true
  const { columns, refused, stop_requested } = stored
  if (stop_requested && import_state !== 'undoing') return false
  await db.row(step, taken(step, { ...columns, refused, import_id, batch, actor: '', request_id: '' }))
  return true
}

/** Of a batch's columns, those that the step takes: checking needs others than writing. */
const taken = ({ order }: Statement, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(order.map((name) => [name, values[name]]))

/** Completes the imports of processes that are gone, one after the other. Returns their number and the errors. */
async function finishAbandoned(db: Database, stopping: () => boolean): Promise<{ imports: number; faults: unknown[] }> {
  const faults: unknown[] = []
  const abandoned = await db.rows(unfinishedImportsSql, { silent_seconds: silentSeconds })
  for (const { import_id } of abandoned) {
    try {
      await runImport(db, import_id, { stopping, waiting: false })
    } catch (error) {
      faults.push(error)
    }
  }
  return { imports: abandoned.length, faults }
}

/**
 * The worker's job: completes abandoned imports, and deletes those never received completely, what can no longer be
 * undone, and imports that ended `kept_days` ago (null: never). Returns the number handled.
 */
export async function finishImports(
  db: Database,
  { kept_days, stopping }: { kept_days: number | null; stopping: () => boolean },
): Promise<number> {
  const { imports, faults } = await finishAbandoned(db, stopping)
  const cutOff = await db.rows(dropCutOffImportsSql, { silent_seconds: cutOffSeconds })
  const changes = await db.rows(expireImportChangesSql, { undo_days: undoDays })
  const ended = kept_days === null ? undefined : await db.row(expireImportsSql, { kept_days })
  if (faults.length > 0) throw faults[0]
  return imports + cutOff.length + changes.length + (ended?.expired ?? 0)
}

const cutOffSeconds = 3_600 // A slow sender may need time for a batch, but not this long.
