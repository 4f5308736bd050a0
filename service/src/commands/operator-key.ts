import { parseArgs } from 'node:util'
import { readConfig, ConfigError } from '../config.ts'
import { roleNames, type Role } from '../access/actor.ts'
import { issueOperatorKey } from '../access/issue-operator-key.ts'
import { openDatabase } from 'pg-statements/database.ts'

/**
 * Issues an operator key and prints it: the way to the first one, since all others are issued with an admin's key.
 * `npm run operator-key -- --name "Anna Berg" --role admin`.
 */
export async function operatorKey(environment: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { name: { type: 'string' }, role: { type: 'string' } } })
  const { name = '', role = '' } = values
  const { key } = await issueKeyInDatabase(environment, { name, role })
  process.stdout.write(`${key}\n`)
}

export async function issueKeyInDatabase(
  environment: NodeJS.ProcessEnv,
  { name, role }: { name: string; role: string },
): Promise<{ key_id: number; key: string }> {
  if (name.trim() === '' || !isRole(role))
    throw new ConfigError([`--name says whose key it is, and --role is one of ${roleNames.join(', ')}.`])
  const config = readConfig(environment)
  const db = openDatabase({ ...config, url: config.databaseUrl, poolSize: 1 })
  try {
    return await issueOperatorKey(db, { operator_name: name.trim(), role, actor: 'the command line' })
  } finally {
    await db.close()
  }
}

const isRole = (word: string): word is Role => (roleNames as string[]).includes(word)
