/** Restarts of API processes behind a balancer, under traffic. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBalancer } from './balancer.ts'
import { addClient, addFixtures } from '../fixtures.ts'
import { startProcess, type Running } from '../process.ts'
import { startService } from '../service.ts'

const clients = 8
const pauseMs = 20 // The traffic must not slow down the starts.

export interface RollingRestarts {
  readonly restarts: number
  readonly settings?: Record<string, string>
}

/** Replaces two processes in turn. Fails unless every request got its answer, and that was 200. */
export async function checkRollingRestarts({
  restarts,
  settings = {},
}: RollingRestarts): Promise<{ requests: number }> {
  const service = await startService()
  await addFixtures(service)
  const { key } = await addClient(service)
  const balancer = await openBalancer()
  const start = (): Promise<Running> =>
    startProcess('api', {
      DATABASE_URL: service.databaseUrl,
      PORT: '0',
      METRICS_PORT: '0',
      RATE_LIMIT: 'off',
      SHED_AFTER_MS: 'off',
      STATEMENT_TIMEOUT_MS: '60000',
      LOG_LEVEL: 'info',
      SHUTDOWN_DELAY_MS: '2000', // Forty times the interval of the balancer's checks, since the machine may be busy.
      ...settings,
    })
  const running = await Promise.all([start(), start()])
  for (const { address } of running) await balancer.add(address)

  const stopped = new AbortController()
  const statuses = new Map<number | string, number>()
  const count = (status: number | string): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const traffic = Promise.all(
    Array.from({ length: clients }, async (_, n) => {
      for (let i = 0; !stopped.signal.aborted; i++) {
        const answer = await fetch(`${balancer.url}/api/v1/carts/`, {
          method: i % 4 === 0 ? 'PUT' : 'GET',
          headers: {
            authorization: key,
            ...(i % 4 === 0 && { 'content-type': 'application/x-www-form-urlencoded', 'idempotency-key': `key-${n}` }),
          },
          ...(i % 4 === 0 && { body: `name=Cart ${n}` }),
        }).catch((error: unknown) => error)
        if (answer instanceof Response) {
          await answer.arrayBuffer()
          count(answer.status)
        } else count(String(answer))
        await sleep(pauseMs)
      }
    }),
  )

  try {
    for (let n = 0; n < restarts; n++) {
      const successor = await start()
      await balancer.add(successor.address)
      const old = running.shift()
      assert(old !== undefined)
      const ended = once(old.child, 'exit')
      old.child.kill('SIGTERM')
      assert.deepEqual(await ended, [0, null])
      balancer.remove(old.address)
      running.push(successor)
    }
  } finally {
    stopped.abort()
    await traffic
    for (const { child } of running) child.kill('SIGKILL')
    await balancer.close()
    await service.close()
  }
  assert.deepEqual(balancer.broken, [])
  assert.equal(balancer.refused(), 0)
  assert.deepEqual([...statuses.keys()], [200])
  return { requests: statuses.get(200) ?? 0 }
}
