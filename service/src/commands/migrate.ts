import { readConfig } from '../config.ts'
import { migrate } from '../migrate.ts'

export async function migrateCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  await migrate(readConfig(environment).databaseUrl, (message) => process.stdout.write(`${message}\n`))
}
