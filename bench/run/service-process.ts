/** The service as `npm start` starts it, with its standard settings; only that it answers its clients however often they ask. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchKey } from '../load/bench-keys.ts'
import packageJson from '../../package.json' with { type: 'json' }

export interface ServiceProcess {
  readonly address: string
  readonly pid: number
  stop(): Promise<void>
}

const startTimeoutMs = 20_000

export async function startServiceProcess(
  databaseUrl: string,
  others: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const settings = {
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    ...others,
  }
  const [, ...args] = packageJson.scripts.start.split(' ')
  const child = spawn(process.execPath, args, {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.pipe(process.stderr) // Warnings are worth seeing, but stdout is for results.
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
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** Lets the service know the keys, as it does in the long run: each is asked for once, by a request that reads nothing else. */
export async function introduce(address: string, clientIds: readonly number[]): Promise<void> {
  const waiting = clientIds.values()
  const askOnce = async (): Promise<void> => {
    for (const id of waiting) {
      const ask = (): Promise<Response> =>
        fetch(`${address}/api/v1/order-states/`, { headers: { authorization: benchKey(id) } })
      let answer = await ask()
      // While a process opens its connections and makes its plans, it may have too much to do for a moment.
      for (; answer.status === 503; answer = await ask()) await sleep(100)
      if (!answer.ok) throw new Error(`The key of client ${id} is refused: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 16 }, askOnce))
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/readyz`)).ok
  } catch {
    return false
  }
}

/** With LOG_LEVEL=warn the service does not say which free port it took, so one is found for it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
