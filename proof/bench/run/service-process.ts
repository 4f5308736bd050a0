/** The service as `npm start` starts it, with default settings, but without rate limits and load shedding. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@parts-ordering/client'
import { benchKey } from '../load/bench-keys.ts'
import packageJson from '../../../package.json' with { type: 'json' }

export interface ServiceProcess {
  readonly address: string
  /** The URL of its metrics. */
  readonly metrics: string
  readonly pid: number
  stop(): Promise<void>
}

const startTimeoutMs = 180_000 // For a busy machine; usually it takes two seconds.

export async function startServiceProcess(
  databaseUrl: string,
  overrides: Readonly<Record<string, string>> = {},
  nice = 0,
): Promise<ServiceProcess> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const metricsPort = await freePort()
  const settings = {
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    ...overrides,
  }
  const [, , ...args] = packageJson.scripts.start.split(' ') // After `exec node`.
  const child = spawn(process.execPath, args, {
    cwd: new URL('../../..', import.meta.url),
    env: { ...process.env, SHUTDOWN_DELAY_MS: '0', ...settings },
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
  return {
    address,
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
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

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/readyz`)).ok
  } catch {
    return false
  }
}

/** With LOG_LEVEL=warn the service does not log its port, so a free one is chosen here. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
