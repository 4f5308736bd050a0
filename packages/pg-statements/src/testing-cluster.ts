/** For tests that stop a server, make it read-only or change its settings: a PostgreSQL of their own. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync, writeFileSync, chownSync, appendFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface Cluster {
  readonly url: string
  readonly port: number
  readonly folder: string
  /** `under`: a program, with its arguments, that runs the server, such as valgrind. */
  readonly start: (under?: readonly string[]) => Promise<void>
  /** `SIGTERM` waits for clients, `SIGINT` ends their sessions, `SIGQUIT` is like a crash. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT') => Promise<void>
  /** Changes settings in `postgresql.auto.conf` and reloads them. */
  readonly set: (settings: Readonly<Record<string, string>>) => Promise<void>
  readonly query: (sql: string) => Promise<pg.QueryResult>
  readonly drop: () => Promise<void>
}

export const programs = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)

/** Why tests with a cluster are skipped; false if they run. */
export const withoutPrograms = programs === undefined ? 'PostgreSQL is not installed under /usr/lib/postgresql.' : false

/** `parent` is the folder in which it gets one of its own, `bin` has the programs of another PostgreSQL. */
export async function createCluster(
  settings: Readonly<Record<string, string>> = {},
  parent: string = tmpdir(),
  bin: string | undefined = programs,
): Promise<Cluster> {
  const account = serverAccount()
  const folder = mkdtempSync(join(parent, 'pg-statements-cluster-'))
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  execFileSync(
    `${bin}/initdb`,
    ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...account, cwd: folder, stdio: 'ignore' },
  )
  const port = await freePort()
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    ...settings,
  }
  appendFileSync(
    join(data, 'postgresql.conf'),
    Object.entries(all)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(''),
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined

  const query = async (sql: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }
  const cluster: Cluster = {
    url,
    port,
    folder,
    query,
    start: async (under = []) => {
      const [program, ...args] = [...under, `${bin}/postgres`, '-D', data]
      server = spawn(program, args, { ...account, cwd: folder, stdio: 'ignore' })
      const ended = once(server, 'exit')
      for (let ready = false; !ready;) {
        ready = await query('select 1').then(
          () => true,
          () => false,
        )
        if (!ready && server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${String(await ended)}`)
        if (!ready) await sleep(10)
      }
    },
    stop: async (signal = 'SIGINT') => {
      if (server === undefined || server.exitCode !== null) return
      const ended = once(server, 'exit')
      server.kill(signal)
      await ended
    },
    set: async (changed) => {
      writeFileSync(
        join(data, 'postgresql.auto.conf'),
        Object.entries(changed)
          .map(([name, value]) => `${name} = '${value}'\n`)
          .join(''),
      )
      await query('select pg_reload_conf()')
    },
    drop: async () => {
      await cluster.stop('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await cluster.start()
  return cluster
}

/** The account that a server's programs run as: they refuse root. Undefined if we are not root. */
export function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
