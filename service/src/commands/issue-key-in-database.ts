import { parseArgs } from 'node:util'
import { openMainDatabase } from './connection.ts'
import { readConfig, ConfigError } from '../config.ts'
import { roleNamed, roleNames } from '../access/actor.ts'
import { issueOperatorKey } from '../access/issue-operator-key.ts'
import type { IssuedKey } from '../access/issued-key.ts'

/**
 * Issues an operator key and prints it. The first key is issued this way; all others with an admin's key.
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
  input: { name: string; role: string },
): Promise<IssuedKey> {
  const operator_name = input.name.trim()
  const role = roleNamed(input.role)
  if (operator_name === '' || role === undefined)
    throw new ConfigError([`--name must be the operator's name, and --role one of ${roleNames.join(', ')}.`])
  const config = readConfig(environment)
  const db = openMainDatabase({ ...config, poolSize: 1 })
  try {
    return await issueOperatorKey(db, { operator_name, role, actor: 'the command line' })
  } finally {
    await db.close()
  }
}
