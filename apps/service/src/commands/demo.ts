/**
 * `npm run demo` runs the whole service on a machine that has only Node. `npm run demo -- --help` shows its options.
 *
 * DATABASE_URL   a database to use; without it the demo starts an embedded PostgreSQL.
 * DEMO_DATA_DIR  where that PostgreSQL keeps its data: by default .data/demo-postgres, or a directory in /var/tmp for root.
 * All other settings are those of the service, but by default METRICS_PORT is any free port, LOG_LEVEL is warn, and there
 * are no rate limits (RATE_LIMIT, FAILED_KEYS_PER_MINUTE, KEYLESS_PER_SECOND) and no load shedding (SHED_AFTER_MS).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CommandOptions } from './command-options.ts'
import { DemoProblem } from '../demo/demo-problem.ts'
import { isSiteBuilt } from '../reference/serve-site.ts'
import type { RunningDemo } from './start-demo.ts'
import { StartProblem } from './start-problem.ts'

const parentCheckMs = 250
const root = new URL('../../../../', import.meta.url)

/** Runs the demo until SIGINT or SIGTERM, then stops everything it started, in reverse order. */
export async function demo(environment: NodeJS.ProcessEnv, { fresh, live, json }: CommandOptions): Promise<void> {
  const interruption = watchInterruption(environment)
  const say = (step: string): void => {
    interruption.throwIfAborted()
    show(step)
  }
  try {
    say('Loading the service')
    const { startDemo } = await import('./start-demo.ts')
    const { collectDefaultMetrics } = await import('prom-client')
    collectDefaultMetrics()
    await using opened = new AsyncDisposableStack()
    const running = await startDemo(environment, { fresh: fresh === true, live: live === true, say }, opened)
    process.stdout.write(json === true ? asJson(running) : asText(running))
    buildSite(opened)
    if (!interruption.aborted) await once(interruption, 'abort')
    show('Stopping')
  } catch (error) {
    if (error === interruption.reason) return
    if (!(error instanceof DemoProblem || error instanceof StartProblem)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** Last, because the first order needs no documentation: it takes as long as all the rest. */
function buildSite(opened: AsyncDisposableStack): void {
  if (isSiteBuilt()) return
  show('Building the documentation')
  const npm = spawn('npm', ['run', 'build:docs'], { cwd: root, stdio: 'ignore', detached: true })
  npm.on('exit', (code) => {
    if (code === 0) process.stderr.write('The documentation is built.\n')
    else if (code !== null) process.stderr.write('The documentation could not be built. To see why: npm run build\n')
  })
  npm.on('error', () => undefined)
  opened.defer(() => {
    if (npm.exitCode === null && npm.pid !== undefined) process.kill(-npm.pid) // With the processes that npm has started.
  })
}

/** A signal may arrive twice: the terminal sends it to all processes, and npm forwards it. */
function watchInterruption(environment: NodeJS.ProcessEnv): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  // A signal to npm alone ends npm and its shell, which does not forward it. Then our parent is gone.
  const parent = process.ppid
  const orphaned = (): void => void (process.ppid !== parent && controller.abort())
  if (environment['npm_lifecycle_event'] !== undefined) setInterval(orphaned, parentCheckMs).unref()
  // A closed pipe or terminal must not prevent the demo from stopping PostgreSQL.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return controller.signal
}

/** Progress goes to standard error, so that standard output has only the result. */
function show(step: string): void {
  const seconds = (performance.now() / 1000).toFixed(1) // Since the process started.
  process.stderr.write(`${seconds.padStart(5)} s  ${step} …\n`)
}

function asJson({ baseUrl, keys }: RunningDemo): string {
  return `${JSON.stringify({ base_url: baseUrl, keys })}\n`
}

const limits = {
  off: 'There is no rate limit here; in production a key may send 50 requests a second. To try that: RATE_LIMIT=on npm run demo',
  on: 'Keys have the rate limits of production (RATE_LIMIT=on).',
}

function asText({ baseUrl, metricsUrl, keys, keysAreKnown, rateLimit, journey }: RunningDemo): string {
  return `
The service is ready.

  Address    ${baseUrl}
  Docs       ${baseUrl}/docs/ (the reference, to try: ${baseUrl}/docs/api and ${baseUrl}/docs/operator-api)
  OpenAPI    ${baseUrl}/openapi.json
  Console    ${baseUrl}/console/ (sign in with the key of the operator)
  Metrics    ${metricsUrl}

Keys, ${keysAreKnown ? 'the same at each start' : 'valid until the next start, because other machines can reach this address'}:

  client_a   ${keys.client_a}
  client_b   ${keys.client_b}
  operator   ${keys.operator}

For the guides, paste this line into another terminal:

export URL=${baseUrl} KEY=${keys.client_a} OPERATOR_KEY=${keys.operator}

From an empty cart to a requested cancellation. Paste these commands into another terminal, one after the other:

${journey.map(({ title, command }) => `# ${title}\n${command}\n`).join('\n')}
${rateLimit ? limits.on : limits.off}
Webhooks may be sent to this machine: http://127.0.0.1 and any port from 1024 up.
Ctrl-C stops everything. The data is kept; npm run demo -- --fresh starts with new data, and --live simulates traffic.
`
}
