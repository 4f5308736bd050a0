/** Faults of the PostgreSQL server and of its disk. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from 'pg-statements/testing-cluster.ts'
import { childProcesses, signalProcess } from '../child-processes.ts'
import { retryable, type Scenario } from '../scenario.ts'
import type { Installation } from '../installation.ts'

const clusterOf = ({ cluster }: Installation): Cluster => {
  if (cluster === undefined) throw new Error('This fault needs a server of its own.')
  return cluster
}

const stopAndStart =
  (signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT') =>
  async (installation: Installation): Promise<void> => {
    const cluster = clusterOf(installation)
    const stopping = cluster.stop(signal)
    if (signal === 'SIGTERM') {
      // A smart stop waits for the sessions to end, so they are ended after a moment.
      await sleep(500)
      installation.proxy.cut()
      installation.proxy.refusing = true
      // A pooler keeps its own.
      await Promise.race([stopping, sleep(5_000)])
      await cluster.stop('SIGINT')
    }
    await stopping
    await cluster.start()
    installation.proxy.refusing = false
  }

const onSmallDisk = {
  installation: { diskMb: 320, server: { min_wal_size: '32MB', max_wal_size: '48MB', wal_recycle: 'off' } },
  unavailable: () => (process.getuid?.() === 0 ? undefined : 'A small disk can only be mounted by root.'),
} satisfies Partial<Scenario>

export const serverScenarios: Scenario[] = [
  {
    name: 'server-crash',
    about: 'PostgreSQL ends without writing anything more, and recovers from its log.',
    fault: stopAndStart('SIGQUIT'),
    allowed: retryable,
    shortRounds: 3,
  },
  {
    name: 'server-fast-stop',
    about: 'PostgreSQL ends all sessions, stops and starts again.',
    fault: stopAndStart('SIGINT'),
    allowed: retryable,
    shortRounds: 2,
  },
  {
    name: 'server-smart-stop',
    about: 'PostgreSQL accepts no new sessions, waits for the old ones, stops and starts again.',
    fault: stopAndStart('SIGTERM'),
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'backend-killed',
    about: 'One session is killed; PostgreSQL ends all others and recovers.',
    fault: async (installation, random) => {
      const sessions = await installation.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      const victim = sessions[Math.floor(random() * sessions.length)]
      if (victim !== undefined) signalProcess(victim.pid, 'SIGKILL')
      await answering(installation)
    },
    allowed: retryable,
    shortRounds: 2,
  },
  {
    name: 'sessions-terminated',
    about: 'All sessions are ended with pg_terminate_backend.',
    fault: async ({ query }) =>
      void (await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )),
    allowed: retryable,
    shortRounds: 2,
  },
  {
    name: 'server-frozen',
    about: 'Every process of PostgreSQL is stopped for two seconds, and goes on.',
    fault: async (installation) => {
      const pids = serverProcesses(installation)
      for (const pid of pids) signalProcess(pid, 'SIGSTOP')
      await sleep(2_000)
      for (const pid of pids) signalProcess(pid, 'SIGCONT')
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'backend-frozen',
    about: 'One session of the service is stopped for eight seconds, longer than the statement timeout.',
    fault: async ({ query }) => {
      const [session] = await query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         order by state_change desc limit 1`,
      )
      if (session === undefined) return
      signalProcess(session.pid, 'SIGSTOP')
      await sleep(8_000)
      signalProcess(session.pid, 'SIGCONT')
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'read-only',
    about: 'The server refuses all changes for two seconds, while its sessions stay open.',
    fault: async (installation) => {
      const cluster = clusterOf(installation)
      await cluster.set({ default_transaction_read_only: 'on' })
      await sleep(2_000)
      await cluster.set({})
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'connections-taken',
    about: 'Other programs take every connection that the server allows, after the sessions of the service were ended.',
    fault: async ({ query, databaseUrl }) => {
      await query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      const taken: pg.Client[] = []
      for (let full = false; !full && taken.length < 100;) {
        const client = new pg.Client({ connectionString: databaseUrl })
        client.on('error', () => undefined)
        full = await client.connect().then(
          () => false,
          () => true,
        )
        if (!full) taken.push(client)
      }
      await sleep(1_500)
      await Promise.all(taken.map((client) => client.end()))
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'rows-locked',
    about: 'Somebody holds the rows of all stock levels for two seconds.',
    fault: ({ databaseUrl }) => holding(databaseUrl, 'select 1 from stock_levels for update', 2_000),
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'table-locked',
    about: 'Somebody holds an exclusive lock on orders for two seconds.',
    fault: ({ databaseUrl }) => holding(databaseUrl, 'lock table orders in access exclusive mode', 2_000),
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'catalogue-locked',
    about: 'Somebody holds an exclusive lock on pg_class for two seconds, so that no session can plan or connect.',
    fault: ({ databaseUrl }) => holding(databaseUrl, 'lock table pg_class in access exclusive mode', 2_000),
    allowed: retryable,
    shortRounds: 1,
  },
  {
    ...onSmallDisk,
    name: 'disk-full',
    about: 'There is no space left on the disk of PostgreSQL for two seconds.',
    fault: async ({ disk }) => {
      disk?.fill()
      await sleep(2_000)
      disk?.free()
    },
    allowed: retryable,
    shortRounds: 0,
  },
  {
    ...onSmallDisk,
    name: 'log-full',
    about: "There is no space left for PostgreSQL's log: it stops, and is started again when there is space.",
    fault: async ({ disk, cluster, query }) => {
      disk?.fill()
      // A new segment of the log needs space.
      for (let n = 0; n < 10; n++) await query('select pg_switch_wal()').catch(() => undefined)
      await sleep(1_000)
      disk?.free()
      await cluster?.stop('SIGQUIT')
      await cluster?.start()
    },
    allowed: retryable,
    shortRounds: 0,
  },
]

async function holding(databaseUrl: string, sql: string, holdMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query(sql)
  await sleep(holdMs)
  await client.query('rollback')
  await client.end()
}

async function answering({ query }: Installation): Promise<void> {
  for (;;) {
    const up = await query('select 1').then(
      () => true,
      () => false,
    )
    if (up) return
    await sleep(20)
  }
}

/** The server itself, and every process that it has started. */
function serverProcesses(installation: Installation): number[] {
  const { folder } = clusterOf(installation)
  const postmaster = Number(readFileSync(`${folder}/data/postmaster.pid`, 'utf8').split('\n')[0])
  return [postmaster, ...childProcesses(postmaster)]
}
