import type { CommandOptions } from './command-options.ts'
import { openMainDatabase } from './connection.ts'
import { readConfig, ConfigError } from '../config.ts'
import { roleNamed, roleNames } from '../identity/actor.ts'
import { readText } from '../input/fields.ts'
import { issueOperatorKey } from '../keys/issue-operator-key.ts'
import { operatorName } from '../keys/operator-key.ts'

/** For `parts operator-key issue --first`, which reads the line that it prints. */
export async function firstKey(environment: NodeJS.ProcessEnv, options: CommandOptions): Promise<void> {
  const operator_name = readText(operatorName, String(options['name'] ?? ''))
  const role = roleNamed(String(options['role'] ?? ''))
  if (operator_name === undefined || role === undefined)
    throw new ConfigError([
      `--name must be the operator's name, ${operatorName.rule}, and --role one of ${roleNames.join(', ')}.`,
    ])
  const config = readConfig(environment)
  const db = openMainDatabase({ ...config, poolSize: 1 })
  try {
    const issued = await issueOperatorKey(db, { operator_name, role, actor: 'the command line', request_id: '' })
    process.stdout.write(`${JSON.stringify(issued)}\n`)
  } finally {
    await db.close()
  }
}
