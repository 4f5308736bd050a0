/**
 * High availability as people run it: Patroni with etcd and HAProxy from Debian, one primary and two synchronous
 * candidates. Each node reaches etcd through a proxy of its own, and is reached by the other nodes' Patroni through
 * another, so that it can be cut off.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, serverAccount } from 'pg-statements/testing-cluster.ts'
import { openProxy, type Proxy } from 'pg-statements/testing-proxy.ts'
import { childProcesses, signalProcess } from './child-processes.ts'

export interface PatroniNode {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly folder: string
  /** Between this node and etcd. */
  readonly toEtcd: Proxy
  /** Between Patroni of the other nodes and this one. */
  readonly fromOthers: Proxy
}

export interface PatroniCluster {
  /** Through HAProxy, which leads to the primary. */
  readonly url: string
  readonly nodes: readonly PatroniNode[]
  readonly primary: () => Promise<PatroniNode>
  /** Waits until there is one primary and every other node follows it, one of them synchronously. */
  readonly settled: () => Promise<void>
  readonly synchronousStandby: () => Promise<PatroniNode>
  readonly start: (node: PatroniNode) => void
  /** Between Patroni of this node and etcd, or all other nodes as well. */
  readonly cutOff: (node: PatroniNode, from: 'etcd' | 'etcd and the other nodes') => void
  readonly reconnect: () => void
  /** Sends a signal to all processes of PostgreSQL on that node, or of Patroni as well. */
  readonly signal: (node: PatroniNode, signal: NodeJS.Signals, parts: 'postgres' | 'patroni and postgres') => void
  readonly switchover: (to: PatroniNode) => Promise<void>
  readonly stopEtcd: () => Promise<void>
  readonly startEtcd: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Member {
  readonly name: string
  readonly role: string
  readonly lag?: number | string
}

const programs = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy']
const postgresPrograms = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)

/** Why there can be no such cluster here; undefined if there can. */
export function patroniMissing(): string | undefined {
  const missing = programs.filter((program) => !existsSync(program))
  return missing.length === 0
    ? undefined
    : `${missing.join(' and ')} must be installed (Debian: patroni etcd-server haproxy).`
}

/** The smallest that Patroni accepts is a ttl of 20 s: a node that vanishes keeps the lead for that long. */
const timing = { ttl: 20, loop_wait: 2, retry_timeout: 5 }
const settledMaxMs = 180_000

export async function createPatroniCluster(nodeCount = 3): Promise<PatroniCluster> {
  const account = serverAccount()
  const folder = mkdtempSync(join(tmpdir(), 'parts-patroni-'))
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const environment = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: folder }
  const children = new Map<string, ChildProcess>()
  const run = (name: string, program: string, args: readonly string[]): void => {
    const child = spawn(program, args, { ...account, cwd: folder, env: environment, stdio: 'ignore', detached: true })
    children.set(name, child)
  }

  const [etcdPort, etcdPeerPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const startEtcd = async (): Promise<void> => {
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${etcdPeerPort}`]
    const options = {
      'data-dir': join(folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
      'enable-v2': 'true',
    }
    run(
      'etcd',
      '/usr/bin/etcd',
      Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    )
    await until(async () => (await fetch(`${client}/health`)).ok, 'etcd answers')
  }
  await startEtcd()

  const nodes: PatroniNode[] = []
  for (let n = 1; n <= nodeCount; n++) {
    const own = join(folder, `node${n}`)
    mkdirSync(own)
    if (account !== undefined) chownSync(own, account.uid, account.gid)
    const toEtcd = await openProxy(`http://127.0.0.1:${etcdPort}`)
    const restPort = await freePort()
    const fromOthers = await openProxy(`http://127.0.0.1:${restPort}`)
    const node = { name: `node${n}`, port: await freePort(), restPort, folder: own, toEtcd, fromOthers }
    writeFileSync(join(own, 'patroni.yml'), configurationOf(node))
    nodes.push(node)
  }
  const start = (node: PatroniNode): void => run(node.name, '/usr/bin/patroni', [join(node.folder, 'patroni.yml')])
  for (const node of nodes) start(node)

  writeFileSync(join(folder, 'haproxy.cfg'), balancerConfiguration(proxyPort, nodes))
  run('haproxy', '/usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')])

  const roleOf = async ({ restPort }: PatroniNode): Promise<string | undefined> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${restPort}/patroni`, { signal: AbortSignal.timeout(2_000) })
      const { role, state } = (await answer.json()) as { role: string; state: string }
      return state === 'running' ? (role === 'master' ? 'primary' : role) : undefined
    } catch {
      return undefined
    }
  }
  const isPrimary = async (node: PatroniNode): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${node.restPort}/primary`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => undefined)
    return answer?.ok === true
  }
  const primary = async (): Promise<PatroniNode> => {
    for (;;) {
      for (const node of nodes) if (await isPrimary(node)) return node
      await sleep(100)
    }
  }
  const readMembers = async (): Promise<Member[]> => {
    const answer = await fetch(`http://127.0.0.1:${(await primary()).restPort}/cluster`)
    return ((await answer.json()) as { members: Member[] }).members
  }
  const settled = (): Promise<void> =>
    until(async () => {
      const roles = await Promise.all(nodes.map(roleOf))
      const leading = (await Promise.all(nodes.map(isPrimary))).filter(Boolean).length
      if (leading !== 1 || roles.filter((role) => role !== undefined).length !== nodes.length) return false
      const members = await readMembers()
      return (
        members.length === nodes.length &&
        members.some(({ role }) => role === 'sync_standby') &&
        members.every(({ role, lag }) => role === 'leader' || (typeof lag === 'number' && lag < 1_000_000))
      )
    }, 'one primary leads and the others follow')

  const killAll = (): void => {
    for (const node of nodes) cluster.signal(node, 'SIGKILL', 'patroni and postgres')
    for (const child of children.values()) child.kill('SIGKILL')
  }
  process.once('exit', killAll) // If the run is interrupted.
  const cluster: PatroniCluster = {
    url: `postgres://postgres@127.0.0.1:${proxyPort}/postgres`,
    nodes,
    primary,
    settled,
    synchronousStandby: async () => {
      const standby = (await readMembers()).find(({ role }) => role === 'sync_standby')
      const node = nodes.find(({ name }) => name === standby?.name)
      if (node === undefined) throw new Error('There is no synchronous standby.')
      return node
    },
    start,
    cutOff: (node, from) => {
      const proxies = from === 'etcd' ? [node.toEtcd] : [node.toEtcd, ...nodes.map(({ fromOthers }) => fromOthers)]
      for (const proxy of proxies) {
        proxy.refusing = true
        proxy.cut()
      }
    },
    reconnect: () => {
      for (const { toEtcd, fromOthers } of nodes) toEtcd.refusing = fromOthers.refusing = false
    },
    signal: (node, signal, parts) => {
      const file = join(node.folder, 'data', 'postmaster.pid')
      const postmaster = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
      const patroni = parts === 'postgres' ? [] : [children.get(node.name)?.pid].filter((pid) => pid !== undefined)
      const server = postmaster === 0 ? [] : [postmaster, ...childProcesses(postmaster)]
      for (const pid of [...patroni, ...server]) signalProcess(pid, signal)
    },
    switchover: async (to) => {
      const from = await primary()
      const answer = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from.name, candidate: to.name }),
      })
      if (!answer.ok) throw new Error(`Patroni refused the switchover: ${await answer.text()}`)
    },
    stopEtcd: async () => {
      const etcd = children.get('etcd')
      if (etcd === undefined) return
      const ended = once(etcd, 'exit')
      etcd.kill('SIGKILL')
      await ended
    },
    startEtcd,
    close: async () => {
      killAll()
      process.off('exit', killAll)
      await Promise.all(nodes.flatMap(({ toEtcd, fromOthers }) => [toEtcd.close(), fromOthers.close()]))
      await sleep(200)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
  await settled()
  return cluster

  function configurationOf({ name, port, restPort, folder: own, toEtcd, fromOthers }: PatroniNode): string {
    return JSON.stringify({
      scope: 'parts',
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${fromOthers.port}` },
      // Not `etcd3`: with it, Patroni 3.0.2 takes the lead back from its successor after a freeze (reliability.md).
      // As `proxy`; with `host`, Patroni asks etcd for its address and goes around what cuts it off.
      etcd: { proxy: `http://127.0.0.1:${toEtcd.port}` },
      bootstrap: {
        dcs: {
          ...timing,
          maximum_lag_on_failover: 1_048_576,
          synchronous_mode: true,
          failsafe_mode: true, // Without etcd, the primary goes on as long as it reaches all other nodes.
          primary_start_timeout: 0, // A crashed primary is replaced instead of restarted.
          postgresql: {
            use_pg_rewind: true,
            parameters: { max_connections: 80, wal_keep_size: '256MB', wal_log_hints: 'on', hot_standby: 'on' },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(own, 'data'),
        bin_dir: postgresPrograms,
        pgpass: join(own, 'pgpass'),
        authentication: {
          superuser: { username: 'postgres' },
          replication: { username: 'postgres' },
          rewind: { username: 'postgres' },
        },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { unix_socket_directories: own },
      },
    })
  }
}

/** HAProxy asks Patroni on each node whether it leads, and ends the sessions of one that does not lead any more. */
const balancerConfiguration = (port: number, nodes: readonly PatroniNode[]): string => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, port: own, restPort }) => `  server ${name} 127.0.0.1:${own} check port ${restPort}`).join('\n')}
`

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + settledMaxMs
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`This did not become true: ${what}.`)
    await sleep(100)
  }
}
