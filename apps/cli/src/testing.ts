/** Runs the program as a shell would, with or without a terminal. */
import { execFile, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

const program = join(import.meta.dirname, 'main.ts')

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string | undefined>>

export function runParts(
  args: readonly string[],
  environment: Environment = {},
  started?: (child: ChildProcess) => void,
): Promise<Ran> {
  return run(process.execPath, [program, ...args], environment, started)
}

/** On a terminal of this width, where this is typed. A terminal shows standard output and standard error together. */
export async function runOnTerminal(
  columns: number,
  args: readonly string[],
  environment: Environment = {},
  typed = '',
): Promise<Ran> {
  const command = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const shell = `stty cols ${columns} rows 30 && ${command}`
  const type = (child: ChildProcess): unknown => child.stdin?.end(typed)
  const terminal = { TERM: 'xterm', ...environment }
  const ran = await run('script', ['--quiet', '--return', '--command', shell, '/dev/null'], terminal, type)
  return { ...ran, stdout: ran.stdout.replaceAll('\r\n', '\n') }
}

function run(
  file: string,
  args: readonly string[],
  environment: Environment,
  started?: (child: ChildProcess) => void,
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>()
  const env = { PATH: process.env['PATH'], SHELL: '/bin/sh', ...environment }
  const child = execFile(file, args, { env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
  })
  started?.(child)
  child.stdin?.end()
  return promise
}
