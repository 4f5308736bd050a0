/** The commands for the database: there may be no service yet, or no key to call it with. The service's program does them. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../command.ts'
import { exitCodes, Problem } from '../problem.ts'

export const migrateDatabaseCommand = command({
  name: 'migrate',
  summary: 'migrate the database in DATABASE_URL',
  offline: true,
  notes: ['It may run while the service is running. Concurrent runs are safe.'],
  examples: ['migrate'],
  run: async ({ environment }) => void runService(environment, ['migrate'], 'inherit'),
})

/** The service does not start in such a database, so it cannot be asked to: decision 21. */
export const afterRestoreCommand = command({
  name: 'after-restore',
  summary: 'make a restored database in DATABASE_URL safe to serve',
  offline: true,
  options: {
    margin: { value: 'NUMBER', meaning: 'how many numbers are skipped (default: 1000000)' },
    force: { meaning: 'also if nothing shows that the database was restored' },
    'nothing-lost': { meaning: 'the copy is complete: no number is changed' },
  },
  notes: [
    'Stop the API and the worker first. It needs the role that owns the tables. No number that a client may have seen is used again, and every client gets the event service.restored.',
    'A disk snapshot leaves no trace: use --force. After a move to another server or pg_upgrade, use --nothing-lost.',
  ],
  examples: ['after-restore', 'after-restore --force', 'after-restore --nothing-lost'],
  run: async ({ environment, options: { margin, force, 'nothing-lost': nothingLost } }) => {
    const given = [margin !== undefined && `--margin=${margin}`, force && '--force', nothingLost && '--nothing-lost']
    runService(environment, ['after-restore', ...given.filter((option) => option !== false)], 'inherit')
  },
})

export function issueFirstKey(
  environment: NodeJS.ProcessEnv,
  { name, role }: { name: string; role: string },
): { key_id: number; key: string } {
  const printed = runService(environment, ['first-key', `--name=${name}`, `--role=${role}`], 'pipe')
  return JSON.parse(printed) as { key_id: number; key: string }
}

const program = join(import.meta.dirname, '../../../service/src/main.ts') // The installed `parts` comes without it.

/** Returns what it printed, unless standard output is inherited. */
function runService(environment: NodeJS.ProcessEnv, args: readonly string[], stdout: 'inherit' | 'pipe'): string {
  if (!existsSync(program))
    throw new Problem(
      exitCodes.usage,
      'This command uses the database directly, and the service is not installed here.',
      'Run it where the service is installed: `npx parts` in its folder.',
    )
  const ran = spawnSync(process.execPath, [program, ...args], {
    env: environment,
    stdio: ['inherit', stdout, 'pipe'],
    encoding: 'utf8',
  })
  if (ran.error) throw ran.error
  if (ran.status !== 0) {
    const isSetting = ran.stderr.startsWith('Invalid settings:')
    throw new Problem(isSetting ? exitCodes.usage : exitCodes.unreachable, ran.stderr.trimEnd() || `${ran.signal}.`)
  }
  process.stderr.write(ran.stderr)
  return ran.stdout
}
