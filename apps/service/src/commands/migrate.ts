import { writableUrl } from 'pg-statements/writable-url.ts'
import { readSettings } from './read-settings.ts'
import { migrate } from '../migrate.ts'

export async function migrateCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  const url = await writableUrl(readSettings(environment).databaseUrl)
  await migrate(url, (message) => process.stdout.write(`${message}\n`))
}
