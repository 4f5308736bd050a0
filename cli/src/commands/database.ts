/** The two commands that access the database directly: there may be no service yet, or no key to call it with. */
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
