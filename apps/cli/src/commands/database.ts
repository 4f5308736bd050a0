/** The commands that access the database directly: there may be no service yet, or no key to call it with. */
import { command } from '../command.ts'
import { errorCode, exitCodes, errorMessage, Problem } from '../problem.ts'

export const migrateDatabaseCommand = command({
  name: 'migrate',
  summary: 'migrate the database in DATABASE_URL',
  offline: true,
  notes: ['It may run while the service is running. Concurrent runs are safe.'],
  examples: ['migrate'],
  run: async ({ environment }) => {
    const { migrateCommand } = await ofService(() => import('../../../service/src/commands/migrate.ts'))
    await withDatabase(() => migrateCommand(environment))
  },
})

/** The service does not start in such a database, so it cannot be asked to: decision 21. */
export const afterRestoreCommand = command({
  name: 'after-restore',
  summary: 'make a restored database in DATABASE_URL safe to serve',
  offline: true,
  options: {
    margin: { value: 'NUMBER', meaning: 'how many numbers are skipped (default: 1000000)' },
    force: { meaning: 'also if nothing shows that the database was restored' },
    'nothing-lost': { meaning: 'the copy is complete: no number is changed' },
  },
  notes: [
    'Stop the API and the worker first. It needs the role that owns the tables. No number that a client may have seen is used again, and every client gets the event service.restored.',
    'A disk snapshot leaves no trace: use --force. After a move to another server or pg_upgrade, use --nothing-lost.',
  ],
  examples: ['after-restore', 'after-restore --force', 'after-restore --nothing-lost'],
  run: async ({ environment, options }) => {
    const { afterRestoreCommand: run } = await ofService(() => import('../../../service/src/commands/after-restore.ts'))
    await withDatabase(() => run(environment, options))
  },
})

export async function issueFirstKey(
  environment: NodeJS.ProcessEnv,
  input: { name: string; role: string },
): Promise<{ key_id: number; key: string }> {
  const { issueKeyInDatabase } = await ofService(() => import('../../../service/src/commands/issue-key-in-database.ts'))
  return withDatabase(() => issueKeyInDatabase(environment, input))
}

/** The installed program comes without the service. */
async function ofService<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Problem(
      exitCodes.usage,
      'This command uses the database directly, and the service is not installed here.',
      'Run it where the service is installed: `npx parts` in its folder.',
      { cause: error },
    )
  }
}

/** Turns errors of the database into problems. */
async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  const { ConfigError } = await import('../../../service/src/config.ts')
  const { explainFailure } = await import('../../../service/src/commands/explain-failure.ts')
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConfigError) throw new Problem(exitCodes.usage, error.message)
    const sentence = explainFailure(error)
    if (sentence !== undefined) throw new Problem(exitCodes.unreachable, sentence, undefined, { cause: error })
    throw new Problem(
      exitCodes.unreachable,
      `Cannot use the database: ${errorMessage(error)}`,
      'Check that DATABASE_URL is correct, PostgreSQL is running, and `parts migrate` has been run.',
      { cause: error },
    )
  }
}
