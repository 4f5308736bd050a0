/**
 * `npm run demo -- [--fresh] [--json]` shows the whole service on a machine that has nothing but Node.
 *
 * --fresh        drops the data of earlier demos first; without it they are kept.
 * --json         prints one line, {"base_url", "keys"}, when ready: `npm run --silent demo -- --json`.
 * DATABASE_URL   a database to use; without it the demo runs a PostgreSQL of its own.
 * DEMO_DATA_DIR  where that PostgreSQL keeps its data: .data/demo-postgres, or a directory in /var/tmp when root starts it.
 * All other settings are those of the service, but METRICS_PORT is any free port and LOG_LEVEL is warn.
 */
import { once } from 'node:events'
import { DemoProblem } from '../demo/demo-problem.ts'
import type { RunningDemo } from '../demo/start-demo.ts'

const parentCheckMs = 250

/** Runs the demo until SIGINT or SIGTERM, then stops all that it started, in the reverse order. */
export async function demo(environment: NodeJS.ProcessEnv, options: readonly string[]): Promise<void> {
  const unknown = options.filter((option) => option !== '--fresh' && option !== '--json')
  if (unknown.length > 0) {
    process.stderr.write(`The demo does not know ${unknown.join(' ')}. Usage: npm run demo -- [--fresh] [--json]\n`)
    process.exitCode = 2
    return
  }
  const interruption = watchInterruption(environment)
  const say = (step: string): void => {
    interruption.throwIfAborted()
    show(step)
  }
  try {
    say('Loading the service')
    const { startDemo } = await import('../demo/start-demo.ts')
    await using started = new AsyncDisposableStack()
    const running = await startDemo(environment, { fresh: options.includes('--fresh'), say }, started)
    process.stdout.write(options.includes('--json') ? asJson(running) : asText(running))
    if (!interruption.aborted) await once(interruption, 'abort')
    show('Stopping')
  } catch (error) {
    if (error === interruption.reason) return
    if (!(error instanceof DemoProblem)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** A signal may come twice: npm passes on what the terminal has sent to everybody already. */
function watchInterruption(environment: NodeJS.ProcessEnv): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  // A signal to npm alone ends npm and its shell, which does not pass it on: then we have lost our parent.
  const parent = process.ppid
  const orphaned = (): void => void (process.ppid !== parent && controller.abort())
  if (environment['npm_lifecycle_event'] !== undefined) setInterval(orphaned, parentCheckMs).unref()
  // A reader that has gone away, such as `head` or a closed terminal, must not keep us from stopping PostgreSQL.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return controller.signal
}

/** Progress goes to standard error, so that standard output carries nothing but the result. */
function show(step: string): void {
  const seconds = (performance.now() / 1000).toFixed(1) // Since the process began.
  process.stderr.write(`${seconds.padStart(5)} s  ${step} …\n`)
}

function asJson({ baseUrl, keys }: RunningDemo): string {
  return `${JSON.stringify({ base_url: baseUrl, keys })}\n`
}

function asText({ baseUrl, metricsUrl, keys, journey }: RunningDemo): string {
  return `
The service is ready.

  API        ${baseUrl}/api/v1/
  Reference  ${baseUrl}/docs/
  OpenAPI    ${baseUrl}/openapi.json
  Metrics    ${metricsUrl}

Keys, valid until the demo is started again:

  client_a   ${keys.client_a}
  client_b   ${keys.client_b}
  operator   ${keys.operator}

From an empty cart to a cancelled order. Paste these into another terminal, one after the other:

${journey.map(({ title, command }) => `# ${title}\n${command}\n`).join('\n')}
Ctrl-C stops everything. The data are kept; npm run demo -- --fresh begins anew.
`
}
