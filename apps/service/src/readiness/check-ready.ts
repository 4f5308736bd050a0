/** Whether the database is one that this version of the service can work with. */
import { functionFiles } from '../functions/function-files.ts'
import { migrationNames } from '../migrations/migration-files.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { bool, text, textArray } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../vocabulary/refusals.ts'
import { recogniseRestore } from '../restore/recognise-restore.ts'

/** Whether the database has been migrated at all. */
const findMigrationsTableSql = shortStatement('find-migrations-table', {
  sql: `select to_regclass('migrations') is not null as found`,
  parameters: {},
  columns: { found: bool },
})
/** The migrations that this version needs and the database lacks. Those of newer versions do no harm. */
const listMissingMigrationsSql = shortStatement('list-missing-migrations', {
  sql: `select n.name
    from unnest(:names::text[]) n (name)
    where not exists (select from migrations m where m.name = n.name)
    order by n.name`,
  parameters: { names: textArray },
  columns: { name: text },
})
/** The files of functions that this version needs and the database lacks. What a newer version has changed does no harm. */
const listMissingFunctionsSql = shortStatement('list-missing-functions', {
  sql: `select n.file
    from unnest(:files::text[]) n (file)
    where not exists (select from installed_functions f where f.file = n.file)
    order by n.file`,
  parameters: { files: textArray },
  columns: { file: text },
})
/** Whether an event has a position that this server has not reached yet: the operators' feed would not show it. */
const readFeedPositionSql = shortStatement('read-feed-position', {
  sql: `select exists (
      select from events where transaction_id >= event_position(pg_snapshot_xmax(pg_current_snapshot()))
    ) as is_ahead`,
  parameters: {},
  columns: { is_ahead: bool },
})

const freshMs = 10_000

/**
 * As `checkReady`, for health checks that come many times a second. Everything is checked again when a connection was
 * lost, because the server may be another one then; otherwise only, every ten seconds, whether it accepts changes.
 */
export function readyCheck(db: Database, lostConnections: () => number): () => Promise<void> {
  let checkedAt = 0
  let lostBefore: number | undefined
  return async () => {
    const [now, lost] = [performance.now(), lostConnections()]
    if (lost === lostBefore && now - checkedAt < freshMs) return
    const known = lost === lostBefore
    lostBefore = undefined // Unless this succeeds.
    if (!known || !(await isWritable(db))) await checkReady(db)
    checkedAt = now
    lostBefore = lost
  }
}

/** Throws a refusal that names everything that is wrong with the database. */
export async function checkReady(db: Database): Promise<void> {
  const unsuitable = await findUnsuitable(db)
  const writable = await isWritable(db)
  const problems = [
    unsuitable,
    writable ? undefined : 'The database accepts no changes: it is a standby, or it was set to read-only.',
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new Refusal(problems.map((problem) => refusalError('not_ready', { problem })))
}

/** A server that answered a moment ago, but cannot be used for changes. */
async function isWritable(db: Database): Promise<boolean> {
  try {
    await db.checkWritable()
    return true
  } catch (error) {
    if (error instanceof DatabaseTrouble && error.kind === 'unavailable') return false
    throw error
  }
}

/** What a person has to repair before the service can run, in a sentence. */
export async function findUnsuitable(db: Database): Promise<string | undefined> {
  if ((await db.row(findMigrationsTableSql, {}))?.found !== true)
    return 'The database has not been migrated: run npm run migrate.'
  const missing = await db.rows(listMissingMigrationsSql, { names: [...migrationNames] })
  if (missing.length > 0)
    return `The database lacks ${missing.length} of ${migrationNames.length} migrations (${missing.map(({ name }) => name).join(', ')}): run npm run migrate.`
  const lacking = await db.rows(listMissingFunctionsSql, { files: [...functionFiles] })
  if (lacking.length > 0)
    return `The database lacks ${lacking.length} of ${functionFiles.length} functions (${lacking.map(({ file }) => file).join(', ')}): run npm run migrate.`
  if ((await db.row(readFeedPositionSql, {}))?.is_ahead === true)
    return 'The newest event has a position that this server has not reached, because the database was restored from another server: run npm run migrate.'
  return recogniseRestore(db)
}
