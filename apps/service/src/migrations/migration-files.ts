import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sqlStatements, type SqlStatement } from './sql-statements.ts'

export const migrationsDir = fileURLToPath(new URL('../../migrations', import.meta.url))

export interface Migration {
  /** The file's name without `.sql`, as it is stored in the table `migrations`. */
  readonly name: string
  readonly text: string
  readonly statements: readonly SqlStatement[]
  /** Its statements are run one by one, each on its own: an index cannot be built concurrently in a transaction. */
  readonly outsideTransaction: boolean
}

export const outsideMark = '-- outside a transaction'

/** The last file of the schema before the first release (decision 18). Later ones are applied while the service runs. */
export const baselineEnd = '0010_service'

/** All migrations of this version of the service, in order. */
export function readMigrations(dir: string): Migration[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(dir, file), 'utf8')
      return {
        name: file.slice(0, -'.sql'.length),
        text,
        statements: sqlStatements(text),
        outsideTransaction: text.startsWith(`${outsideMark}\n`),
      }
    })
}

/** The names of all migrations that this version of the service needs, read once. */
export const migrationNames: readonly string[] = readMigrations(migrationsDir).map(({ name }) => name)
