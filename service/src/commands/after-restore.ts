/** `node service/src/main.ts after-restore`: makes a restored database safe to serve from. Stop the service first. */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { writableUrl } from 'pg-statements/writable-url.ts'
import { ConfigError, readConfig } from '../config.ts'
import { afterRestore, marginDefault, type AfterRestore } from '../restore/after-restore.ts'

export async function afterRestoreCommand(environment: NodeJS.ProcessEnv, args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { margin: { type: 'string' }, force: { type: 'boolean' }, 'nothing-lost': { type: 'boolean' } },
  })
  const margin = Number(values.margin ?? marginDefault)
  if (!Number.isSafeInteger(margin) || margin < 1 || margin > 1e12)
    throw new ConfigError([`--margin must be a whole number from 1 to 1000000000000, not '${values.margin}'.`])
  const url = await writableUrl(readConfig(environment).databaseUrl)
  const nothingLost = values['nothing-lost'] === true
  const cause = await afterRestoreAt(url, { margin, force: values.force === true, nothingLost })
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
