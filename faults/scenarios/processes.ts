/** Faults of the service's own processes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { retryable, retryableOrLost, type Scenario } from '../scenario.ts'
import { stopProcess, type World } from '../world.ts'

const anyOf = <T>(list: readonly T[], random: () => number): T => {
  const chosen = list[Math.floor(random() * list.length)]
  if (chosen === undefined) throw new Error('There is none.')
  return chosen
}

async function replaceApi(world: World, signal: NodeJS.Signals, random: () => number): Promise<void> {
  const api = anyOf(world.apis, random)
  await stopProcess(api, signal)
  world.forget(api)
  await world.startApi()
}

export const processScenarios: Scenario[] = [
  {
    name: 'api-killed',
    about: 'One of two API processes is killed and replaced.',
    fault: (world, random) => replaceApi(world, 'SIGKILL', random),
    allowed: retryableOrLost,
    shortRounds: 2,
  },
  {
    name: 'all-apis-killed',
    about: 'All API processes are killed at once and replaced.',
    fault: async (world) => {
      const old = [...world.apis]
      await Promise.all(old.map((api) => stopProcess(api, 'SIGKILL')))
      for (const api of old) world.forget(api)
      await Promise.all(old.map(() => world.startApi()))
    },
    allowed: retryableOrLost,
    shortRounds: 1,
  },
  {
    name: 'worker-killed',
    about: 'The worker is killed while it delivers webhooks, and replaced.',
    fault: async (world, random) => {
      const worker = anyOf(world.workers, random)
      await sleep(random() * 200)
      await stopProcess(worker, 'SIGKILL')
      world.forget(worker)
      await world.startWorker()
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'rolling-restart',
    about: 'A new API process is added behind the balancer, and an old one is stopped with SIGTERM.',
    fault: async (world) => {
      const [old] = world.apis
      if (old === undefined) throw new Error('There is no process.')
      await world.startApi()
      await stopProcess(old, 'SIGTERM')
      world.forget(old)
    },
    allowed: /^(503 (busy|overloaded)|429 \w+)$/,
    shortRounds: 1,
  },
  {
    name: 'api-frozen',
    about: 'One API process is stopped for three seconds, and goes on.',
    fault: async (world, random) => {
      const { child } = anyOf(world.apis, random)
      child.kill('SIGSTOP')
      await sleep(3_000)
      child.kill('SIGCONT')
    },
    allowed: retryableOrLost,
    shortRounds: 1,
  },
  {
    name: 'receiver-half-dead',
    about: 'The webhook receiver accepts connections but does not answer for three seconds.',
    fault: async ({ receiver }) => {
      receiver.pause(true)
      await sleep(3_000)
      receiver.pause(false)
    },
    allowed: retryable,
    shortRounds: 1,
  },
]
