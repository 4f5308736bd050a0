import { openMainDatabase } from './connection.ts'
import { readConfig, ConfigError } from '../config.ts'
import { roleNamed, roleNames } from '../identity/actor.ts'
import { issueOperatorKey } from '../keys/issue-operator-key.ts'
import type { IssuedKey } from '../keys/issued-key.ts'

/** For `parts operator-key issue --first`: the first key cannot be issued with an admin's key. */
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
    return await issueOperatorKey(db, { operator_name, role, actor: 'the command line', request_id: '' })
  } finally {
    await db.close()
  }
}
