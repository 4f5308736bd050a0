/**
 * Each alert about PostgreSQL itself fires in a real fault: a primary on a small disk, a standby, pgBackRest with the files of
 * `deploy/backup/`, Debian's exporters and a real Prometheus. The commands of the alert's page are run while it fires, by the
 * roles and the account that the page names: `parts_oncall`, or `postgres` on the server. Needs root, for the disk.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addRoles, as } from '../../../../deploy/postgres/add-roles.ts'
import { rows as dashboardRows } from '../../../../deploy/grafana/dashboard.ts'
import {
  createCluster,
  freePort,
  programs,
  serverAccount,
  type Cluster,
} from '../../../../packages/pg-statements/src/testing-cluster.ts'
import { mountSmallDisk, type SmallDisk } from '../../../../proof/faults/small-disk.ts'
import { migrate } from '../../../../apps/service/src/migrate.ts'
import { eventually } from '../../../../apps/service/src/testing/process.ts'
import { pagesOf, root, runSection, startPrometheus, type FaultPrometheus } from './fault-prometheus.ts'

const group = 'parts-postgresql'
const slot = 'forgotten_subscriber'
const account = serverAccount() ?? assert.fail('Needs root.')

let disk: SmallDisk
let dir: string
let cluster: Cluster
let url: string
let standby: ChildProcess | undefined
let standbyUrl: string
let exporter: ChildProcess
let nodeExporter: ChildProcess
let prometheus: FaultPrometheus
let server: NodeJS.ProcessEnv
const ran = new Set<string>()
const textfile = (): string => join(dir, 'node-exporter', 'parts_backup.prom')

before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'parts-postgres-faults-'))
  chmodSync(dir, 0o755)
  for (const folder of ['repo', 'log', 'spool', 'lock', 'bin', 'node-exporter', 'standby']) {
    mkdirSync(join(dir, folder), { mode: folder === 'standby' ? 0o700 : 0o755 })
    chownSync(join(dir, folder), account.uid, account.gid)
  }
  disk = mountSmallDisk(1_000)
  await startPrimary()
  await startStandby()
  await startExporters()
})
after(async () => {
  prometheus.stop()
  exporter.kill('SIGKILL')
  nodeExporter.kill('SIGKILL')
  await stopStandby()
  await cluster.drop()
  disk.unmount()
  rmSync(dir, { recursive: true })
})

/** With the settings of `deploy/backup/`. Ids are frozen after 100,000 transactions, so that a test can use as many. */
async function startPrimary(): Promise<void> {
  const conf = readFileSync(join(root, 'deploy/backup/postgresql.conf'), 'utf8')
  const settings = Object.fromEntries([...conf.matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value])) // prettier-ignore
  assert.deepEqual(Object.keys(settings), ['archive_mode', 'archive_command', 'archive_timeout', 'wal_level', 'max_slot_wal_keep_size']) // prettier-ignore
  process.env['PGBACKREST_CONFIG'] = join(dir, 'pgbackrest.conf') // Also for the archive_command of the server.
  cluster = await createCluster(
    {
      ...settings,
      unix_socket_directories: '/tmp',
      max_connections: '25',
      max_wal_size: '64MB',
      autovacuum_naptime: '1s',
      autovacuum_freeze_max_age: '100000',
      max_standby_streaming_delay: '-1',
      logging_collector: 'on',
      log_directory: join(dir, 'log'),
      log_filename: 'postgresql.log',
      log_file_mode: '0644',
    },
    disk.folder,
  )
  const changed: Record<string, string> = {
    'repo1-path': join(dir, 'repo'),
    'pg1-path': join(cluster.folder, 'data'),
    'pg1-port': `${cluster.port}\npg1-socket-path=/tmp`,
  }
  const text = readFileSync(join(root, 'deploy/backup/pgbackrest.conf'), 'utf8')
    .replaceAll(/^([\w-]+)=.*$/gm, (line, name: string) => (name in changed ? `${name}=${changed[name]}` : line))
    .replace(
      /^# (repo1-cipher-pass=).*$/m,
      `$1secret\nlog-path=${dir}/log\nlock-path=${dir}/lock\nspool-path=${dir}/spool`,
    )
  writeFileSync(join(dir, 'pgbackrest.conf'), text)
  execFileSync('pgbackrest', ['--stanza=parts', 'stanza-create'], { ...account, cwd: '/', stdio: 'ignore' })
  await cluster.query(`create database parts template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  url = cluster.url.replace(/postgres$/, 'parts')
  addRoles(url)
  await migrate(as('parts_owner', url), () => undefined)
  await cluster.query(`select pg_create_physical_replication_slot('standby')`)
}

async function startStandby(): Promise<void> {
  const data = join(dir, 'standby')
  const port = await freePort()
  standbyUrl = url.replace(`:${cluster.port}/`, `:${port}/`)
  const from = `${cluster.url}?application_name=standby`
  execFileSync(`${programs}/pg_basebackup`, ['-d', from, '-D', data, '-R', '-S', 'standby', '-c', 'fast'], { ...account, cwd: dir }) // prettier-ignore
  standby = spawn(`${programs}/postgres`, ['-D', data, '-p', `${port}`, '-c', 'archive_mode=off', '-c', 'log_filename=standby.log'], { ...account, cwd: dir, stdio: 'ignore' }) // prettier-ignore
  await eventually(async () => (await standbys()) === 1)
}

async function stopStandby(): Promise<void> {
  standby?.kill('SIGQUIT')
  await eventually(async () => standby === undefined || standby.exitCode !== null)
}

async function standbys(): Promise<number | null> {
  return (await cluster.query('select from pg_stat_replication where replay_lsn is not null')).rowCount
}

async function startExporters(): Promise<void> {
  const [database, disks] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
  const defaults = readFileSync(join(root, 'deploy/systemd/postgres-exporter.env'), 'utf8')
  const args = (/^ARGS='(.*)'$/m.exec(defaults)?.[1] ?? '')
    .replace('127.0.0.1:9187', database)
    .replace('/etc/prometheus', join(root, 'deploy/prometheus'))
  exporter = spawn('prometheus-postgres-exporter', args.split(' '), {
    env: { DATA_SOURCE_NAME: `${as('parts_monitor', url)}?sslmode=disable` },
    stdio: 'ignore',
  })
  // Only the disk of this test: that of the machine may be full.
  const options = ['--collector.disable-defaults', '--collector.filesystem', '--collector.textfile']
  const others = `--collector.filesystem.mount-points-exclude=^/($|[^t]|t[^m]|tmp$|tmp/[^p])`
  nodeExporter = spawn('prometheus-node-exporter', [...options, others, `--collector.textfile.directory=${join(dir, 'node-exporter')}`, `--web.listen-address=${disks}`], { stdio: 'ignore' }) // prettier-ignore
  // What the pages run on the server, as root or as `postgres`. There is no systemd: what its unit runs is run.
  const unit = join(root, 'deploy/systemd/parts-backup@.service')
  writeFileSync(
    join(dir, 'bin/systemctl'),
    `#!/bin/sh\n[ "$1" = start ] || exit 1\nsed -n 's/^ExecStart\\(Post\\)\\?=//p' ${unit} |
      sed "s/%i/\${2#*@}/g; s/%%/%/g; s#/var/lib/prometheus/node-exporter#${dir}/node-exporter#" > ${dir}/lock/commands
    sh -e ${dir}/lock/commands\n`,
    { mode: 0o755 },
  )
  server = {
    PATH: `${dir}/bin:${process.env['PATH']}`,
    DATABASE_URL: as('parts_oncall', url),
    DATABASE_URL_OF_STANDBY: as('parts_oncall', standbyUrl),
    METRICS_OF_DATABASE: `http://${database}/metrics`,
    POSTGRES_LOG: join(dir, 'log/postgresql.log'),
    PGBACKREST_CONFIG: process.env['PGBACKREST_CONFIG'],
    PGHOST: '/tmp',
    PGPORT: `${cluster.port}`,
    PGUSER: 'postgres',
    SLOT: slot,
  }
  prometheus = await startPrometheus(dir, group, [
    { job_name: 'parts-database', targets: [database] },
    { job_name: 'parts-disk', targets: [disks] },
  ])
}

const options = (): { cwd: string; env: NodeJS.ProcessEnv; uid: number; gid: number } => ({ cwd: dir, env: server, ...account }) // prettier-ignore
const diagnose = (page: string): Promise<void> => runSection(page, 'Diagnosis', options())
const mitigate = (page: string): Promise<void> =>
  runSection(page, 'Mitigation', options()).then(() => void ran.add(page))

const sessions: pg.Client[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.end().catch(() => undefined)
})

async function openSession(role: Parameters<typeof as>[0], at = url): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: as(role, at) })
  session.on('error', () => undefined) // The page's mitigation ends it.
  await session.connect()
  sessions.push(session)
  return session
}

/** Fills files of WAL, each of 16 MB. */
async function writeWal(files: number): Promise<void> {
  for (let n = 0; n < files; n++)
    await cluster.query(`select pg_logical_emit_message(false, 'fault', repeat('x', 1000)), pg_switch_wal()`)
}

test('no backup was ever taken; the page takes one, and while all is well, no alert fires', async () => {
  await prometheus.fires('PartsBackupOld')
  await diagnose('backup-old.md')
  await mitigate('backup-old.md')
  await eventually(async () => (await prometheus.firing()).length === 0)
})

test('the repository of the backups is away: changes are not archived, and a backup fails', async () => {
  renameSync(join(dir, 'repo'), join(dir, 'repo-away'))
  await writeWal(2)
  await prometheus.fires('PartsWalNotArchived')
  await diagnose('wal-not-archived.md')
  writeFileSync(textfile(), `parts_backup_completed_timestamp_seconds ${Math.floor(Date.now() / 1000) - 31 * 3600}\n`)
  await assert.rejects(runSection('backup-old.md', 'Mitigation', options()), /backup\.info/)
  await prometheus.fires('PartsBackupOld')
  rmSync(join(dir, 'repo'), { recursive: true, force: true })
  renameSync(join(dir, 'repo-away'), join(dir, 'repo'))
  await mitigate('wal-not-archived.md')
  await prometheus.ends('PartsWalNotArchived')
  await mitigate('backup-old.md')
  await prometheus.ends('PartsBackupOld')
})

test('a report on the standby is in the way of its replay, and then the standby is gone', async () => {
  const report = await openSession('parts_reader', standbyUrl)
  await report.query('begin; select count(*) from orders')
  const owner = await openSession('parts_owner')
  await owner.query('begin; lock table orders in access exclusive mode; commit')
  await prometheus.fires('PartsReplicationLagging')
  await diagnose('replication-lagging.md')
  await mitigate('replication-lagging.md')
  await assert.rejects(report.query('select 1')) // The page has ended it.
  await prometheus.ends('PartsReplicationLagging')
  standby?.kill('SIGSTOP')
  await cluster.query(`select pg_terminate_backend(pid) from pg_stat_replication`)
  await prometheus.fires('PartsReplicationLagging')
  standby?.kill('SIGCONT')
  await prometheus.ends('PartsReplicationLagging')
})

test('a program that leaves sessions open: connections are scarce', async () => {
  for (let n = 0; n < 17; n++) await openSession('parts_reader')
  await prometheus.fires('PartsConnectionsScarce')
  await sleep(2_000)
  await diagnose('connections-scarce.md')
  await mitigate('connections-scarce.md')
  await prometheus.ends('PartsConnectionsScarce')
})

test('a forgotten transaction: it is old, tables are bloated, old rows are not frozen; the pages end it', async () => {
  const forgotten = await openSession('parts_reader')
  await forgotten.query('begin isolation level repeatable read; select count(*) from orders')
  const busy = await openSession('parts_service')
  await busy.query(`insert into stocks (stock_name) values ('Fault')`)
  await busy.query(`do $$ begin
    for n in 1 .. 10500 loop update stocks set stock_name = 'Fault ' || n; commit; end loop;
    for n in 1 .. 200000 loop perform pg_current_xact_id(); commit; end loop;
  end $$`)
  for (const alert of ['PartsTransactionOld', 'PartsTablesBloated', 'PartsWraparound']) await prometheus.fires(alert)
  for (const page of ['tables-bloated.md', 'wraparound.md', 'transaction-old.md']) await diagnose(page)
  await mitigate('transaction-old.md')
  await assert.rejects(forgotten.query('select 1')) // The page has ended it.
  for (const page of ['tables-bloated.md', 'wraparound.md']) await mitigate(page)
  for (const alert of ['PartsTransactionOld', 'PartsTablesBloated', 'PartsWraparound']) await prometheus.ends(alert)
})

test('a slot that nothing reads keeps WAL until the disk is nearly full; the page drops it', async () => {
  await cluster.query(`select pg_create_physical_replication_slot('${slot}', true)`)
  for (let free = 1; free > 0.13;) {
    await writeWal(4)
    const { bavail, blocks } = statfsSync(disk.folder)
    free = bavail / blocks
  }
  await prometheus.fires('PartsDiskFilling')
  await diagnose('disk-filling.md')
  await mitigate('disk-filling.md')
  await prometheus.ends('PartsDiskFilling')
})

test('the exporter hangs: PostgreSQL is not watched', async () => {
  exporter.kill('SIGSTOP')
  await prometheus.fires('PartsDatabaseUnwatched')
  await diagnose('database-unwatched.md')
  exporter.kill('SIGCONT')
  await mitigate('database-unwatched.md')
  await prometheus.ends('PartsDatabaseUnwatched')
})

test('every query of the row of the dashboard shows something', async () => {
  assert.deepEqual(await prometheus.emptyQueries(dashboardRows['PostgreSQL itself'] ?? []), [])
})

test('the commands of every page were run in its fault', () => {
  assert.deepEqual([...ran].toSorted(), pagesOf(group))
})
