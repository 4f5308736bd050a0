/** Whether the database was restored or copied since the service last ran in it: decision 21. */
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, nullable } from 'pg-statements/types.ts'

const readDatabaseIdentitySql = statement(new URL('read-database-identity.sql', import.meta.url), {
  parameters: {},
  columns: {
    other_server: bool,
    other_database: bool,
    copied: bool,
    other_timeline: bool,
    has_target: bool,
    was_standby: nullable(bool),
  },
})
const recordDatabaseIdentitySql = statement(new URL('record-database-identity.sql', import.meta.url), {
  parameters: {},
  columns: {},
})

export type IdentityDifferences = Readonly<{
  other_server: boolean
  other_database: boolean
  copied: boolean
  other_timeline: boolean
  has_target: boolean
  was_standby: boolean | null
}>

/** In a sentence, what the database was restored from; undefined if it was not. */
export async function recogniseRestore(db: Database): Promise<string | undefined> {
  const found = await db.row(readDatabaseIdentitySql, {})
  const cause = found && causeOf(found)
  return cause && `${cause}: run main.ts after-restore, once, before the service is started.`
}

export function causeOf(found: IdentityDifferences): string | undefined {
  if (found.other_server) return 'The database was written in another server and restored or copied into this one'
  if (found.other_database) return 'The database is a copy of another database of this server'
  if (found.copied) return 'The database was restored from a dump'
  if (!found.other_timeline) return undefined
  if (found.has_target) return 'The database was recovered to an earlier moment'
  // A promoted standby has received its changes from the primary. Without a primary, the server replayed an archive,
  // and the end of what was written may have been missing in it. If the role may not know, the failover goes on.
  return found.was_standby === false
    ? 'The database was recovered from an archive, which may lack the last changes'
    : undefined
}

/** The first start in a database claims it. Later ones change nothing. */
export const recordDatabaseIdentity = (db: Database): Promise<unknown> => db.rows(recordDatabaseIdentitySql, {})
