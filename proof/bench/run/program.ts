/** Runs the programs that generate the load. */
import { spawn } from 'node:child_process'

export interface StartedProgram {
  readonly pid: number
}

/** Runs a program and returns its output. A failure is an error with all of its output. */
export async function runProgram(
  program: string,
  args: readonly string[],
  {
    env = {},
    started,
  }: { env?: Readonly<Record<string, string>>; started?: ((program: StartedProgram) => void) | undefined } = {},
): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  if (child.pid !== undefined) started?.({ pid: child.pid })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', (error) =>
    reject('code' in error && error.code === 'ENOENT' ? new Error(`${program} is not installed. ${advice}`) : error),
  )
  child.on('close', resolve)
  const code = await promise
  if (code !== 0) throw new Error(`${program} exited with ${code}:\n${errors}${output}`)
  return `${errors}${output}`
}

const advice = 'On Debian: apt-get install wrk postgresql-contrib valgrind; on macOS: brew install wrk libpq.'
