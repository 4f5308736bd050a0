/** The commands for the database: there may be no service yet, or no key to call it with. The service's program does them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { command } from '../command.ts'
import { exitCodes, Problem } from '../problem.ts'

export const migrateDatabaseCommand = command({
  name: 'migrate',
  summary: 'migrate the database in DATABASE_URL',
  offline: true,
  notes: ['It may run while the service is running. Concurrent runs are safe.'],
  examples: ['migrate'],
  run: async ({ environment }) => void (await runService(environment, ['migrate'], 'inherit')),
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
    await runService(environment, ['after-restore', ...given.filter((option) => option !== false)], 'inherit')
  },
})

export async function issueFirstKey(
  environment: NodeJS.ProcessEnv,
  { name, role }: { name: string; role: string },
): Promise<{ key_id: number; key: string }> {
  const printed = await runService(environment, ['first-key', `--name=${name}`, `--role=${role}`], 'pipe')
  return JSON.parse(printed) as { key_id: number; key: string }
}

const program = join(import.meta.dirname, '../../../service/src/main.ts') // The installed `parts` comes without it.

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Returns what it printed, unless standard output is inherited. */
async function runService(
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  stdout: 'inherit' | 'pipe',
): Promise<string> {
  if (!existsSync(program))
    throw new Problem(
      exitCodes.usage,
      'This command uses the database directly, and the service is not installed here.',
      'Run it where the service is installed: `npx parts` in its folder.',
    )
  const child = spawn(process.execPath, [program, ...args], { env: environment, stdio: ['inherit', stdout, 'pipe'] })
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of signals) process.on(signal, passOn)
  const [[code, signal], printed, complaint] = await Promise.all([
    once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>,
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ])
  for (const one of signals) process.off(one, passOn)
  if (code !== 0 && signal === null) throw problemOf(complaint)
  process.stderr.write(complaint)
  if (signal === null) return printed
  process.kill(process.pid, signal) // The program ends as its child did.
  throw new Problem(exitCodes.unreachable, `${signal}.`)
}

/** The service exits with 1 whatever was wrong, and Node may have printed warnings before: `(node:1) Warning: …`. */
function problemOf(complaint: string): Problem {
  const [settings] = /^Invalid settings:[^]*/m.exec(complaint) ?? []
  if (settings !== undefined) return new Problem(exitCodes.usage, settings.trimEnd())
  const isExplained = !/^ {4}at /m.test(complaint) // Of any other error the service prints the stack.
  if (isExplained) return new Problem(exitCodes.unreachable, complaint.trimEnd())
  const message = complaint.split('\n').find((line) => !line.startsWith('(')) ?? ''
  return new Problem(
    exitCodes.unreachable,
    `Cannot use the database: ${message.replace(/^\w*error: /i, '')}`,
    'Check that DATABASE_URL is correct, PostgreSQL is running, and `parts migrate` has been run.',
  )
}
