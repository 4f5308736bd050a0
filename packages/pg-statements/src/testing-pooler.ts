/** For tests with a real PgBouncer: the one of Debian, or that of the variable PGBOUNCER. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort, withoutPrograms, type Cluster } from './testing-cluster.ts'

const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer'

/** Why tests with a pooler are skipped; false if they run. */
export const withoutPooler = existsSync(program) ? withoutPrograms : `${program} is not installed.`

/** 1.21 and newer keep the prepared statements of their clients. */
export const keepsStatements = (): boolean =>
  Number(/PgBouncer 1\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1]) >= 21

/** One session of the server for all clients, unless they keep it. */
export async function startPooler(
  cluster: Cluster,
  mode: 'session' | 'transaction',
  sessions = 1,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort()
  const file = join(cluster.folder, `pgbouncer-${port}.ini`)
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${cluster.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${sessions}
${keepsStatements() ? 'max_prepared_statements = 200\n' : ''}`,
  )
  const { uid, gid } = statSync(cluster.folder)
  const pooler = spawn(program, [file], { uid, gid, stdio: 'ignore' })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  while (!(await answers(url))) await sleep(20)
  return {
    url,
    stop: async () => {
      pooler.kill('SIGQUIT')
      await once(pooler, 'exit')
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
