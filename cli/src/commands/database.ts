/** The two commands that go to the database itself: before them there is no service to ask, or no key to ask it with. */
import { command } from '../command.ts'
import { exitCodes, Problem } from '../problem.ts'

export const migrateDatabaseCommand = command({
  name: 'migrate',
  summary: 'bring the database in DATABASE_URL up to date',
  offline: true,
  notes: ['It may run while the service does, and several at once do no harm.'],
  examples: ['migrate'],
  run: async ({ environment }) => {
    const { migrateCommand } = await import('../../../service/src/commands/migrate.ts')
    await withDatabase(() => migrateCommand(environment))
  },
})

export async function issueFirstKey(
  environment: NodeJS.ProcessEnv,
  wish: { name: string; role: string },
): Promise<{ key_id: number; key: string }> {
  const { issueKeyInDatabase } = await import('../../../service/src/commands/operator-key.ts')
  return withDatabase(() => issueKeyInDatabase(environment, wish))
}

/** Says in our way what goes wrong there. */
async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  const { ConfigError } = await import('../../../service/src/config.ts')
  try {
    return await work()
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException
    if (error instanceof ConfigError) throw new Problem(exitCodes.usage, message)
    throw new Problem(
      exitCodes.unreachable,
      `The database cannot be used: ${message || code}`,
      'Is DATABASE_URL right, is PostgreSQL running, and has `parts migrate` been run?',
      { cause: error },
    )
  }
}
