import { writableUrl } from 'pg-statements/writable-url.ts'
import { readConfig } from '../config.ts'
import { migrate } from '../migrate.ts'

export async function migrateCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  const url = await writableUrl(readConfig(environment).databaseUrl)
  await migrate(url, (message) => process.stdout.write(`${message}\n`))
}
