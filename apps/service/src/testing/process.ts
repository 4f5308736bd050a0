/** The service's processes, started as a user starts them. */
import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const mainFile = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface LogLine {
  readonly msg: string
  readonly [field: string]: unknown
}

export interface Running {
  readonly child: ChildProcess
  readonly address: string
  readonly metrics: string
  /** What it has logged so far. */
  readonly log: readonly LogLine[]
}

/** Resolves when the process logs that it is ready. */
export async function startProcess(
  command: string,
  settings: Record<string, string>,
  file = mainFile,
): Promise<Running> {
  const child = spawn(process.execPath, [file, command], { env: { PATH: process.env['PATH'], ...settings } })
  const log: LogLine[] = []
  let rest = ''
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) log.push(JSON.parse(line) as LogLine)
  })
  await eventually(async () => child.exitCode !== null || log.some(({ msg }) => msg === 'ready')).catch(
    (error: unknown) => {
      child.kill('SIGKILL') // Otherwise the test file would wait for it for ever.
      throw new Error(`The process is not ready: ${errors}${JSON.stringify(log)}`, { cause: error })
    },
  )
  const ready = log.find(({ msg }) => msg === 'ready') as { address: string } | undefined
  if (ready === undefined) throw new Error(`The process did not start: ${errors}${JSON.stringify(log)}`)
  // With several processes, the main process serves the metrics.
  const { metrics } = log.find((line) => line['metrics'] !== undefined) as unknown as { metrics: { port: number } }
  return { child, address: ready.address, metrics: `http://127.0.0.1:${metrics.port}`, log }
}

export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`This did not become true: ${holds.toString()}`)
    await sleep(20)
  }
}

const deadlineMs = 120_000 // Generous, since the machine may be busy.
