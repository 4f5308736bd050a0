/**
 * The PostgreSQL of the demo, and of tests where there is no other. Its home directory has `cluster` (the data),
 * `password`, and a copy of the programs if the installed ones do not run. It listens on 127.0.0.1 only and requires the
 * password, since every user of the machine can reach that address.
 */
import type { ChildProcess } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { claimDatabase } from './claim-database.ts'
import { asErrno, DemoProblem, startFresh } from './demo-problem.ts'
import { findPrograms, type Programs } from './find-programs.ts'
import { launchAs, runAs, unprivilegedAccount, type Account, type Outcome } from './run-as.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const startTimeoutMs = 60_000 // Recovery after a crash takes about a second; the rest is for a slow disk.

interface Home {
  readonly directory: string
  readonly cluster: string
  readonly password: string
  readonly account: Account | undefined
}

export interface EmbeddedPostgres {
  readonly url: string
  stop(): Promise<void>
}

interface EmbeddedOptions {
  /** Whose data it is: each has a home directory of its own. */
  readonly owner: 'demo' | 'tests'
  readonly fresh: boolean
  readonly say: (step: string) => void
}

/** Starts it. With `fresh`, or at the first start, its data directory is new. */
export async function startEmbeddedPostgres(
  environment: NodeJS.ProcessEnv,
  { owner, fresh, say }: EmbeddedOptions,
): Promise<EmbeddedPostgres> {
  const home = await openHome(environment, owner)
  const programs = await findPrograms(home.directory, home.account)
  await stopOrphan(home, programs)
  if (fresh) await rm(home.cluster, { recursive: true, force: true })
  if (!existsSync(home.cluster)) {
    say(`Initialising PostgreSQL in ${home.directory}`)
    await initialise(home, programs)
  }
  await refuseOldData(home, programs)
  say('Starting PostgreSQL')
  return start(home, programs)
}

/**
 * The account that runs PostgreSQL for root may not be able to read the repository, so root's data is in /var/tmp. Others
 * can write there too: a directory that does not belong to root is refused.
 */
async function openHome(environment: NodeJS.ProcessEnv, owner: EmbeddedOptions['owner']): Promise<Home> {
  const account = unprivilegedAccount()
  const rootDirectory = join('/var/tmp', `parts-${owner}-${hash('sha256', repository).slice(0, 12)}`)
  const defaultDirectory = account === undefined ? join(repository, '.data', `${owner}-postgres`) : rootDirectory
  const directory = resolve(environment['DEMO_DATA_DIR'] ?? defaultDirectory)
  const made = await mkdir(directory, { recursive: true })
  if (account !== undefined) {
    const found = await lstat(directory)
    const ours = found.isDirectory() && found.uid === 0
    if (!ours) throw new DemoProblem(`${directory} does not belong to root: remove it, or set DEMO_DATA_DIR.`)
    if (made !== undefined) await chmod(directory, 0o711)
  }
  return { directory, cluster: join(directory, 'cluster'), password: join(directory, 'password'), account }
}

/**
 * A demo that was killed leaves its PostgreSQL running, or at least its lock file. A server at the port in that file that
 * accepts our password is ours; the process id alone may belong to another program by now.
 */
async function stopOrphan(home: Home, programs: Programs): Promise<void> {
  for (;;) {
    const [pid, , , port] = await readLock(home)
    if (pid === undefined) return
    try {
      const claim = await claimDatabase(await addressOf(home, Number(port)))
      await claim.end()
      await control(home, programs, ['stop', '-m', 'fast'])
    } catch (error) {
      const { code = '' } = asErrno(error)
      if (code === startingOrStopping) await sleep(100)
      else if (notOurs.includes(code)) await rm(lockOf(home), { force: true })
      else if (error instanceof DemoProblem) throw error
      // In doubt the lock file stays: two servers on the same data would destroy it.
      else
        throw new DemoProblem(
          `An earlier demo may have left PostgreSQL running as process ${pid}: end it, or remove ${lockOf(home)} if it is another program.`,
        )
    }
  }
}

const startingOrStopping = '57P03' // PostgreSQL: cannot_connect_now.
const notOurs = ['ECONNREFUSED', '28P01', '28000'] // Nothing listens at the port, or a PostgreSQL that rejects our password.

const lockOf = (home: Home): string => join(home.cluster, 'postmaster.pid')

/** The lines of PostgreSQL's lock file: process id, directory, start, port, …; none if there is no file. */
async function readLock(home: Home): Promise<string[]> {
  const text = await readFile(lockOf(home), 'utf8').catch(() => undefined)
  return text?.split('\n') ?? []
}

/** The directory gets its final name only when it is complete. */
async function initialise(home: Home, programs: Programs): Promise<void> {
  const unfinished = `${home.cluster}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await rm(home.password, { force: true })
  await writeFile(home.password, randomBytes(24).toString('hex'), { mode: 0o600 })
  if (home.account !== undefined) {
    for (const path of [unfinished, home.password]) await chown(path, home.account.uid, home.account.gid)
  }
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // The data of a demo is not worth waiting for the disk: after a power failure, start with --fresh.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  }
  const { succeeded, output } = await runAs(home.account, home.directory, [
    programs.initdb,
    `--pgdata=${unfinished}`,
    '--username=parts',
    `--pwfile=${home.password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C', // For messages; it exists everywhere.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8', // Has upper and lower case for all scripts.
    '--no-sync',
    ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
  ])
  if (!succeeded) throw new DemoProblem(`PostgreSQL cannot be initialised in ${home.directory}: ${output}`)
  await rename(unfinished, home.cluster)
}

/** PostgreSQL does not start on data of another major version. */
async function refuseOldData(home: Home, programs: Programs): Promise<void> {
  const { output } = await runAs(home.account, home.directory, [programs.postgres, '--version'])
  const [, version = ''] = / (\d+)/.exec(output) ?? []
  const ofData = await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch(() => '')
  if (ofData.trim() !== version)
    throw new DemoProblem(`The data in ${home.directory} is not of PostgreSQL ${version}. ${startFresh}`)
}

/** As a child process, so that its exit can be awaited: in a container there may be no init process to reap it. */
async function start(home: Home, programs: Programs): Promise<EmbeddedPostgres> {
  const port = await freePort()
  const logFile = join(home.directory, 'server.log')
  const log = await open(logFile, 'w')
  const server = launchAs(
    home.account,
    home.directory,
    [programs.postgres, '-D', home.cluster, '-p', String(port)],
    log.fd,
  )
  await log.close()
  const exited = new Promise((resolve) => server.once('exit', resolve).once('error', resolve))
  if (!(await becomesReady(home, server))) {
    server.kill('SIGKILL') // It has exited, or took too long.
    await exited
    throw new DemoProblem(`PostgreSQL does not start; see ${logFile}. ${startFresh}`)
  }
  return {
    url: await addressOf(home, port),
    stop: async () => {
      await control(home, programs, ['stop', '-m', 'fast'])
      await exited
    },
  }
}

/** PostgreSQL writes its state into the last line of its lock file. */
async function becomesReady(home: Home, server: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + startTimeoutMs
  while (server.exitCode === null && server.signalCode === null && performance.now() < deadline) {
    const [pid, , , , , , , state = ''] = await readLock(home)
    if (Number(pid) === server.pid && state.trim() === 'ready') return true
    await sleep(20)
  }
  return false
}

function control(home: Home, programs: Programs, command: readonly string[]): Promise<Outcome> {
  return runAs(home.account, home.directory, [programs.pg_ctl, '-D', home.cluster, ...command])
}

async function addressOf(home: Home, port: number): Promise<string> {
  return `postgres://parts:${await readFile(home.password, 'utf8')}@127.0.0.1:${port}/postgres`
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
