import { readFileSync } from 'node:fs'
import pg from 'pg'
import { readConfig } from '../config.ts'

export const invariantsSql = readFileSync(new URL('../invariants/invariants.sql', import.meta.url), 'utf8')

/** Prints what is wrong with the data, if anything, and then ends with exit code 1. */
export async function checkInvariants(environment: NodeJS.ProcessEnv): Promise<void> {
  const client = new pg.Client({ connectionString: readConfig(environment).databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ invariant: string; violation: string }>(invariantsSql)
    for (const { invariant, violation } of rows) process.stdout.write(`${invariant}: ${violation}\n`)
    process.stdout.write(rows.length === 0 ? 'All invariants hold.\n' : 'Not all invariants hold.\n')
    process.exitCode = rows.length === 0 ? 0 : 1
  } finally {
    await client.end()
  }
}
