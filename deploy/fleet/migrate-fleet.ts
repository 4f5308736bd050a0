/** Brings the databases of all distributors to the release of this folder: one first, then server by server. */
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../apps/service/src/migrate.ts'
import { urlAs } from './database.ts'
import { readDirectory, readDistributor, record, settled, withLock, type Distributor } from './directory.ts'
import { FleetProblem, serverNamed, type Fleet } from './fleet-config.ts'
import { restartProcess, waitUntilReady } from './process.ts'

const service = join(import.meta.dirname, '../../apps/service')

/** All that `migrate` brings into a database. */
export function releaseHere(migrationsDir = join(service, 'migrations')): string {
  const files = [migrationsDir, join(service, 'src')].flatMap((folder) =>
    globSync('**/*.sql', { cwd: folder })
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  )
  return hash('sha256', files.join('\0')).slice(0, 12)
}

export interface MigrateOptions {
  /** The distributor that comes first. */
  readonly canary?: string | undefined
  /** Only tests have others. */
  readonly migrationsDir?: string | undefined
}

/** Returns the names of those that were migrated. Those that have this release already are left out. */
export async function migrateFleet(fleet: Fleet, { canary, migrationsDir }: MigrateOptions = {}): Promise<string[]> {
  if (canary !== undefined) readDistributor(fleet, canary)
  const release = releaseHere(migrationsDir)
  const all = readDirectory(fleet)
    .filter(({ state }) => state === 'running' || state === 'suspended')
    .toSorted((a, b) => rank(a) - rank(b) || a.server.localeCompare(b.server) || a.name.localeCompare(b.name))
  const done: string[] = []
  for (const { name } of all.filter((distributor) => distributor.release !== release)) {
    fleet.step(name)
    await withLock(fleet, name, () => migrateOne(fleet, name, release, migrationsDir)).catch((error: unknown) => {
      throw new FleetProblem(
        `${name} was not migrated: ${error instanceof Error ? error.message : String(error)} ${done.length} were, and those after it were not touched.`,
      )
    })
    done.push(name)
  }
  return done

  function rank({ name }: Distributor): number {
    return name === canary ? 0 : 1
  }
}

async function migrateOne(fleet: Fleet, name: string, release: string, migrationsDir?: string): Promise<void> {
  const distributor = settled(readDistributor(fleet, name))
  if (distributor.follower !== undefined)
    throw new FleetProblem(`It was moved, and ${distributor.follower} follows: confirm the move first.`)
  const server = serverNamed(fleet, distributor.server)
  await migrate(urlAs('owner', distributor, server), () => undefined, migrationsDir)
  if (distributor.state === 'running') {
    await restartProcess(fleet, distributor)
    await waitUntilReady(fleet, distributor, distributor.server)
  }
  record(fleet, { ...distributor, release })
}
