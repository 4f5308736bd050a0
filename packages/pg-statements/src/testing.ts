/** For the tests of this package: an empty database of its own, and statements written in the test. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { statement, type Shape, type Statement } from './statement.ts'

const serverUrl = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export interface ScratchDatabase {
  readonly url: string
  /** Sends SQL past the engine, on a connection of its own. */
  readonly query: (sql: string, values?: unknown[]) => Promise<pg.QueryResult>
  readonly drop: () => Promise<void>
}

export async function createScratchDatabase(): Promise<ScratchDatabase> {
  const name = `pg_statements_${process.pid}_${Math.floor(Math.random() * 1e9).toString(36)}`
  const server = new pg.Client({ connectionString: serverUrl })
  await server.connect()
  await server.query(`create database ${name} template template0 encoding 'UTF8'`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 2 })
  pool.on('error', () => undefined) // Tests terminate its connections.
  return {
    url: url.href,
    query: (sql, values) => pool.query(sql, values),
    drop: async () => {
      await pool.end()
      await server.query(`drop database ${name} with (force)`)
      await server.end()
    },
  }
}

const folder = mkdtempSync(join(tmpdir(), 'pg-statements-'))

/** A statement from a text instead of a file in the repository. */
export function statementOf<P extends Shape, C extends Shape>(
  name: string,
  content: string,
  shape: Parameters<typeof statement<P, C>>[1],
): Statement<P, C> {
  writeFileSync(join(folder, `${name}.sql`), content)
  return statement(pathToFileURL(join(folder, `${name}.sql`)), shape)
}
