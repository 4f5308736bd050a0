import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { CommandOptions } from './command-options.ts'
import { openMainDatabase } from './connection.ts'
import { StartProblem } from './start-problem.ts'
import { readSettings } from './read-settings.ts'
import { ConfigError } from '../config.ts'
import { roleNamed, roleNames } from '../identity/actor.ts'
import { readText } from '../input/fields.ts'
import { issueOperatorKey } from '../keys/issue-operator-key.ts'
import { operatorName } from '../keys/operator-key.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int4, int8, nullable } from 'pg-statements/types.ts'

/** For `parts operator-key issue --first`, which reads the line that it prints. Refused while an admin has a key. */
export async function firstKey(environment: NodeJS.ProcessEnv, options: CommandOptions): Promise<void> {
  const operator_name = readText(operatorName, String(options['name'] ?? ''))
  const role = roleNamed(String(options['role'] ?? ''))
  if (operator_name === undefined || role === undefined)
    throw new ConfigError([
      `--name must be the operator's name, ${operatorName.rule}, and --role one of ${roleNames.join(', ')}.`,
    ])
  const config = readSettings(environment)
  const db = openMainDatabase({ ...config, poolSize: 1 })
  try {
    const { keyDaysMax } = config
    const retry = await onlyFirst(db, keyDaysMax)
    const by = { actor: 'the command line', request_id: '' }
    const issued = await issueOperatorKey(db, { operator_name, role, keyDaysMax, retry, ...by })
    process.stdout.write(`${JSON.stringify(issued)}\n`)
  } catch (error) {
    throw error instanceof Refusal ? notFirst('Another command has issued the first key just now') : error
  } finally {
    await db.close()
  }
}

const readLastKeysSql = shortStatement('read-last-keys', {
  sql: `select max(key_id) as last_id, max(key_id) filter (where role = 'admin' and revoked_at is null
      and least(expires_at, created_at + nullif(:days_max, 0) * interval '1 day', 'infinity') > now()) as admin_id
    from operator_keys`,
  parameters: { days_max: int4 },
  columns: { last_id: nullable(int8), admin_id: nullable(int8) },
})

/** Of two commands that find no admin's key at the same time, both come after the same last key, and one is refused. */
async function onlyFirst(db: Database, days_max: number) {
  const last = await db.row(readLastKeysSql, { days_max })
  assert(last)
  if (last.admin_id !== null) throw notFirst(`Operator key ${last.admin_id} exists already`)
  const idempotency_key = `first-after-${last.last_id ?? 0}`
  return { idempotency_key, request_digest: hash('sha256', idempotency_key, 'buffer') }
}

const notFirst = (reason: string): StartProblem =>
  new StartProblem(
    `${reason}: issue further keys with an admin's key, by parts operator-key issue without --first. If every admin's key is lost, revoke them in the database first: docs/how-to/operator/keys-and-roles.md has the statement.`,
  )
