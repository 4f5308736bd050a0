/** Two versions of the service that run against one database: this one, and the one before the newest migration. */
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { baselineEnd, migrationNames } from '../../apps/service/src/migrations/migration-files.ts'

export interface Version {
  readonly mainFile: string
  readonly migrationsDir: string
  /** What fills its database: the code of another version may name columns that this one does not have. */
  readonly code: VersionCode
}

type VersionCode = typeof import('../../apps/service/src/testing/fixtures.ts') &
  typeof import('../../apps/service/src/keys/issue-operator-key.ts')

const repository = fileURLToPath(new URL('../..', import.meta.url))

export const currentVersion = (): Promise<Version> => versionIn(repository)

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

const migrations = 'apps/service/migrations'
const chosen = process.env['PREVIOUS_VERSION']

/** Why no two versions differ in their schema; undefined if they do, or if a previous version was chosen. */
export function noUpgradeYet(): string | undefined {
  if (chosen !== undefined || migrationNames.at(-1) !== baselineEnd) return undefined
  return `There is no migration after ${baselineEnd} yet. PREVIOUS_VERSION=COMMIT upgrades from that commit, which may have other functions.`
}

/** `PREVIOUS_VERSION`, or the parent of the commit that added the newest migration. */
function previousCommit(): string {
  if (chosen !== undefined) return git('rev-parse', '--verify', `${chosen}^{commit}`)
  const added = git('log', '-1', '--find-renames', '--diff-filter=A', '--format=%H', '--', migrations)
  return git('rev-parse', '--verify', `${added}^`)
}

/** Why there is no previous version here; undefined if there is. */
export function previousVersionMissing(): string | undefined {
  try {
    const baseline = git('ls-tree', previousCommit(), `${migrations}/${baselineEnd}.sql`)
    return baseline === '' ? `PREVIOUS_VERSION has no ${baselineEnd}.sql: it cannot be upgraded from.` : undefined
  } catch {
    return 'The previous version comes from the history of this repository, which is not here.'
  }
}

/**
 * Writes the previous version's files to a folder. Its dependencies are those that are installed here; what this version
 * no longer needs is installed beside them.
 */
export async function checkOutPreviousVersion(): Promise<Version & { readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-previous-'))
  const archive = join(folder, 'files.tar')
  git('archive', '--format=tar', `--output=${archive}`, previousCommit())
  execFileSync('tar', ['-xf', archive, '-C', folder])
  linkPackages(join(repository, 'node_modules'), join(folder, 'node_modules'))
  installMissing(folder)
  linkWorkspaces(folder)
  return { ...(await versionIn(folder)), remove: () => rmSync(folder, { recursive: true }) }
}

/** The installed packages; those of the workspaces are the other version's own. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const path = join(from, name)
    if (name.startsWith('@')) linkPackages(path, join(to, name))
    else if (!lstatSync(path).isSymbolicLink() && !existsSync(join(to, name))) symlinkSync(path, join(to, name))
  }
}

function installMissing(folder: string): void {
  const { dependencies = {} } = packageIn(join(folder, 'apps/service'))
  const missing = Object.entries(dependencies)
    .filter(([name, version]) => /^\d/.test(version) && !existsSync(join(repository, 'node_modules', name)))
    .map(([name, version]) => `${name}@${version}`)
  if (missing.length === 0) return
  const prefix = join(folder, 'more')
  execFileSync('npm', ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', ...missing], { stdio: 'ignore' })
  linkPackages(join(prefix, 'node_modules'), join(folder, 'node_modules'))
}

function linkWorkspaces(folder: string): void {
  const { workspaces } = packageIn(folder)
  for (const workspace of workspaces)
    symlinkSync(join(folder, workspace), join(folder, 'node_modules', packageIn(join(folder, workspace)).name))
}

interface Package {
  readonly name: string
  readonly workspaces: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

const packageIn = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package

async function versionIn(folder: string): Promise<Version> {
  const source = join(folder, 'apps/service/src')
  const files = ['testing/fixtures.ts', 'keys/issue-operator-key.ts']
  const modules = await Promise.all(files.map((file) => import(join(source, file)) as Promise<object>))
  return {
    mainFile: join(source, 'main.ts'),
    migrationsDir: join(folder, migrations),
    code: Object.assign({}, ...modules) as VersionCode,
  }
}
