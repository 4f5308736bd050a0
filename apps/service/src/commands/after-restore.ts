/** `node apps/service/src/main.ts after-restore`: makes a restored database safe to serve from. Stop the service first. */
import pg from 'pg'
import type { CommandOptions } from './command-options.ts'
import { writableUrl } from 'pg-statements/writable-url.ts'
import { readSettings } from './read-settings.ts'
import { ConfigError } from '../config.ts'
import { afterRestore, marginDefault, type AfterRestore } from '../restore/after-restore.ts'

export async function afterRestoreCommand(environment: NodeJS.ProcessEnv, options: CommandOptions): Promise<void> {
  const margin = Number(options['margin'] ?? marginDefault)
  if (!Number.isSafeInteger(margin) || margin < 1 || margin > 1e12)
    throw new ConfigError([`--margin must be a whole number from 1 to 1000000000000, not '${options['margin']}'.`])
  const url = await writableUrl(readSettings(environment).databaseUrl)
  const nothingLost = options['nothing-lost'] === true
  const cause = await afterRestoreAt(url, { margin, force: options['force'] === true, nothingLost })
  process.stdout.write(
    cause === undefined
      ? 'The database was not restored: nothing to do.\n'
      : nothingLost
        ? `${cause}. Nothing was lost: no number was changed. The service can be started.\n`
        : `${cause}. All numbers were advanced by ${margin}; readers of events are sent to their new start. The service can be started.\n`,
  )
}

export async function afterRestoreAt(databaseUrl: string, options: AfterRestore): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'parts after-restore' })
  await client.connect()
  try {
    return await afterRestore(client, options)
  } finally {
    await client.end()
  }
}
