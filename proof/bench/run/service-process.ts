/** The service as `npm start` starts it, with default settings, but without rate limits and load shedding. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@parts-ordering/client'
import { freePort } from 'pg-statements/testing-cluster.ts'
import { mainFile } from '../../../apps/service/src/testing/process.ts'
import { benchKey } from '../load/bench-keys.ts'
import packageJson from '../../../package.json' with { type: 'json' }

export interface ServiceProcess {
  readonly address: string
  /** The URL of its metrics. */
  readonly metrics: string
  readonly pid: number
  stop(): Promise<void>
}

export interface ServiceOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** Its priority: 0 as usual, -20 the highest. */
  readonly nice?: number
}

const startTimeoutMs = 180_000 // For a busy machine; usually it takes two seconds.

export async function startServiceProcess(
  databaseUrl: string,
  { settings = {}, nice = 0 }: ServiceOptions = {},
): Promise<ServiceProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()] // With LOG_LEVEL=warn it does not log its own choice.
  const address = `http://127.0.0.1:${port}`
  const always = { DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: `${port}`, METRICS_PORT: `${metricsPort}` }
  const unlimited = { LOG_LEVEL: 'warn', RATE_LIMIT: 'off', SHED_AFTER_MS: 'off', SHUTDOWN_DELAY_MS: '0' }
  const [, , ...args] = packageJson.scripts.start.split(' ') // After `exec node`.
  const child = spawn(process.execPath, args, {
    cwd: new URL('../../..', import.meta.url),
    env: { ...process.env, ...always, ...unlimited, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (nice !== 0 && child.pid !== undefined) setPriority(child.pid, nice)
  child.stdout.pipe(process.stderr) // Warnings must be visible, but stdout is for results.
  const deadline = performance.now() + startTimeoutMs
  while (!(await isReady(address))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill()
      throw new Error(`The service did not start on ${address}.`)
    }
    await sleep(100)
  }
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`
  return { address, metrics, pid: child.pid ?? 0, stop: () => stop(child) }
}

/** Makes the service cache the keys, as in regular operation: one request per key that reads nothing else. */
export async function introduce(address: string, clientIds: readonly number[]): Promise<void> {
  const waiting = clientIds.values()
  const useKeys = async (): Promise<void> => {
    // The client retries while a process that is opening connections and planning is busy.
    for (const id of waiting) await createClient({ url: address, key: benchKey(id), retries: 50 }).listOrderStates()
  }
  await Promise.all(Array.from({ length: 16 }, useKeys))
}

/** A worker that delivers to receivers on this machine. */
export function startWorkerProcess(databaseUrl: string, nice = 0): Pick<ServiceProcess, 'pid' | 'stop'> {
  const ports = { WORKER_PORT: '0', WORKER_METRICS_PORT: '0' }
  const settings = { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [mainFile, 'worker'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, ...ports, ...settings },
    stdio: 'ignore',
  })
  if (nice !== 0 && child.pid !== undefined) setPriority(child.pid, nice)
  return { pid: child.pid ?? 0, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/readyz`)).ok
  } catch {
    return false
  }
}
