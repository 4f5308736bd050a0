import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { causeOf, type IdentityDifferences } from './recognise-restore.ts'

const fileText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** More numbers of one kind than a service gives out between a backup and a disaster; far from 2^53 for ever. */
export const marginDefault = 1_000_000

export interface AfterRestore {
  /** How many numbers are skipped. */
  readonly margin?: number
  /** Also when nothing shows that the database was restored: a disk snapshot leaves no trace. */
  readonly force?: boolean
  /** The copy is complete (pg_upgrade, a move to another server): only the new server is recorded. */
  readonly nothingLost?: boolean
}

/** Returns what was recognised, or undefined if there was nothing to do. */
export async function afterRestore(
  client: pg.Client,
  { margin = marginDefault, force = false, nothingLost = false }: AfterRestore,
): Promise<string | undefined> {
  await client.query('set statement_timeout = 0; set lock_timeout = 0')
  const { rows } = await client.query<IdentityDifferences>(fileText('read-database-identity.sql'))
  const cause =
    (rows[0] && causeOf(rows[0])) ?? (force ? 'Nothing shows that the database was restored; forced' : undefined)
  if (cause === undefined) return undefined
  const sql = fileText('after-restore.sql')
  const recorded = `select raise_event_positions(); ${sql.slice(sql.indexOf('delete from database_identity;'))}`
  await client.query(
    `begin; set local parts_restore.margin = '${Math.trunc(margin)}'; ${nothingLost ? recorded : sql} commit`,
  )
  return cause
}
