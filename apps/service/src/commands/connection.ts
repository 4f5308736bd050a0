import type { Config } from '../config.ts'
import { openDatabase } from '../open-database.ts'
import type { Database, DatabaseSettings } from 'pg-statements/database.ts'

/** What all databases of a process have in common. Each adds its pool size and time limit. */
export const connectionOf = ({
  databaseUrl,
  timeZone,
}: Config): Pick<DatabaseSettings, 'url' | 'timeZone' | 'sessionName'> => ({
  url: databaseUrl,
  timeZone,
  sessionName,
})

/** In pg_stat_activity, such as `parts api 4711`. */
const sessionName = `parts ${process.argv[2] ?? ''} ${process.pid}`

/** The database of requests and of the worker's jobs. */
export function openMainDatabase(
  config: Config,
  { onChange }: { onChange?: (statement: string) => void } = {},
): Database {
  const { poolSize, statementTimeoutMs } = config
  return openDatabase({ ...connectionOf(config), poolSize, statementTimeoutMs, ...(onChange && { onChange }) })
}
