/** Runs PostgreSQL's programs, under another account where they would refuse to run. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { DemoProblem } from './demo-problem.ts'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface Outcome {
  readonly succeeded: boolean
  readonly output: string
}

/** Runs a program to its end in `directory`, which it must be able to enter. */
export function runAs(account: Account | undefined, directory: string, command: readonly string[]): Promise<Outcome> {
  const child = launchAs(account, directory, command, 'pipe')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ succeeded: false, output: message }))
    child.once('close', (code) => resolve({ succeeded: code === 0, output: output.trim() }))
  })
}

export function launchAs(
  account: Account | undefined,
  directory: string,
  [program = '', ...parameters]: readonly string[],
  output: 'pipe' | number,
): ChildProcess {
  return spawn(program, parameters, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: directory,
    // Variables such as PGPORT and PGDATA are meant for another PostgreSQL. LC_ALL makes its messages English.
    env: { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))), LC_ALL: 'C' },
    // In its own session a program does not get the terminal's Ctrl-C: the demo stops what it started, in order.
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  })
}

/** PostgreSQL refuses to run as root. Nearly every system has one of these accounts; initdb needs one with a name. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', '_postgres', 'nobody', 'daemon']) {
    const [name, , uid, gid] = accounts.find(([known]) => known === wanted) ?? []
    if (name !== undefined && Number(uid) > 0 && Number(gid) > 0) return { name, uid: Number(uid), gid: Number(gid) }
  }
  throw new DemoProblem(
    'PostgreSQL does not run as root, and there is no account postgres or nobody to run it: start the demo as another user, or set DATABASE_URL.',
  )
}
