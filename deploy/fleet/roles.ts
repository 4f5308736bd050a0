/**
 * The roles of one distributor: those of roles.sql with the name of the distributor instead of `parts`. No other
 * distributor's role may connect to its database. `parts_oncall` and `parts_monitor` belong to the whole server.
 */
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { inDatabase, inServer } from './database.ts'
import { withLock, type Distributor } from './directory.ts'
import { serverNamed, type Fleet } from './fleet-config.ts'

const own = /\bparts_(owner|service_b|service|reader)\b/g
const rolesSql = readFileSync(new URL('../postgres/roles.sql', import.meta.url), 'utf8').replaceAll(/^--.*$/gm, '')

/** The sessions of one distributor leave room for the others. Its process has a pool of 4 and others beside it. */
const connectionsMax = 40

export async function addOwnRoles(
  fleet: Fleet,
  distributor: Distributor,
  serverName = distributor.server,
): Promise<void> {
  // prettier-ignore
  const { name, passwords } = distributor
  const server = serverNamed(fleet, serverName)
  // Roles belong to the whole server: two commands that change them at once would fail.
  await withLock(fleet, `roles of ${serverName}`, addAll, { waits: true })

  async function addAll(): Promise<void> {
    await inDatabase(server, distributor, async (client) => {
      await client.query('begin')
      for (const [, sql = '', end] of rolesSql.replaceAll(own, `${name}_$1`).matchAll(/([^;]*?)(;|\\gexec)/g))
        await runStatement(client, sql, end === '\\gexec')
      for (const role of ['owner', 'service', 'reader'] as const)
        await client.query(`alter role ${name}_${role} password '${passwords[role]}'`)
      // It would see the statements of all distributors; those of its own roles are enough to say who blocks a migration.
      await client.query(`revoke pg_read_all_stats from ${name}_owner`)
      await client.query(`grant ${name}_service, ${name}_reader to ${name}_owner`)
      await client.query(`alter role ${name}_service connection limit ${connectionsMax}`)
      await client.query('commit')
    })
    await inServer(server, distributor, async (client) => {
      await client.query('revoke connect on database postgres, template1 from public')
      await client.query('grant connect on database postgres to parts_oncall, parts_monitor')
    })
  }
}

/** As psql: a query that ends with \gexec returns the statements to run. */
async function runStatement(client: pg.Client, sql: string, returnsStatements: boolean): Promise<void> {
  const result = await client.query<string[]>({ text: sql, rowMode: 'array' })
  if (returnsStatements) for (const statement of result.rows.flat()) await client.query(statement)
}

/** Also of a server that never had them. The database must be gone. */
export async function dropOwnRoles(fleet: Fleet, distributor: Distributor, serverName: string): Promise<void> {
  const { name } = distributor
  await withLock(fleet, `roles of ${serverName}`, dropAll, { waits: true })

  function dropAll(): Promise<void> {
    return inServer(serverNamed(fleet, serverName), distributor, async (client) => {
      const roles = ['owner', 'service', 'service_b', 'reader', 'move'].map((role) => `${name}_${role}`)
      await client.query(`drop role if exists ${roles.join(', ')}`)
    })
  }
}
