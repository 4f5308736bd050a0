/** Faults of the service's own processes. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Running } from '../../../apps/service/src/testing/process.ts'
import { retryable, retryableOrLost, type Scenario } from '../scenario.ts'
import { stopProcess, type Installation } from '../installation.ts'
import { noUpgradeYet, previousVersionMissing } from '../versions.ts'

/** Connections to processes that stop must not break. */
const rollingRestart = /^(503 (busy|overloaded)|429 \w+)$/

const anyOf = <T>(list: readonly T[], random: () => number): T => {
  const chosen = list[Math.floor(random() * list.length)]
  if (chosen === undefined) throw new Error('There is none.')
  return chosen
}

async function replaceApi(installation: Installation, signal: NodeJS.Signals, random: () => number): Promise<void> {
  const api = anyOf(installation.apis, random)
  await stopProcess(api, signal)
  installation.forget(api)
  await installation.startApi()
}

async function drain(installation: Installation, old: Running): Promise<void> {
  await stopProcess(old, 'SIGTERM')
  installation.forget(old)
}

/** One process after the other: the new one is ready before the old one stops. */
async function replaceAll(installation: Installation): Promise<void> {
  const [apis, workers] = [[...installation.apis], [...installation.workers]]
  for (const old of apis) {
    await installation.startApi()
    await drain(installation, old)
  }
  for (const old of workers) {
    await installation.startWorker()
    await drain(installation, old)
  }
}

/** Kills the first attempt somewhere in the middle. */
async function migrateInterrupted({ current, databaseUrl }: Installation, random: () => number): Promise<void> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl }
  const first = spawn(process.execPath, [current.mainFile, 'migrate'], { env, stdio: 'ignore' })
  const ended = once(first, 'exit')
  await Promise.race([ended, sleep(300 + random() * 700)])
  first.kill('SIGKILL')
  await ended
  // If something else is broken too, it is repeated, as an engineer would.
  const again = (): Promise<unknown> => promisify(execFile)(process.execPath, [current.mainFile, 'migrate'], { env })
  await again().catch(async () => {
    await sleep(3_000) // No fault of a pair lasts longer.
    await again()
  })
}

const clockLibrary = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const clock = (offset: string): Record<string, string> => ({
  LD_PRELOAD: clockLibrary,
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
})

/** Runs a process of each kind with a clock that is wrong, for three seconds, and then with a right one. */
async function runWithClock(installation: Installation, offset: string): Promise<void> {
  const { startApi, startWorker } = installation
  const replace = async (old: Running | undefined, next: Running): Promise<Running> => {
    if (old !== undefined) await drain(installation, old)
    return next
  }
  const api = await replace(installation.apis[0], await startApi(clock(offset)))
  const worker = await replace(installation.workers[0], await startWorker(clock(offset)))
  await sleep(3_000)
  await replace(api, await startApi())
  await replace(worker, await startWorker())
}

export const processScenarios: Scenario[] = [
  {
    name: 'api-killed',
    about: 'One of two API processes is killed and replaced.',
    fault: (installation, random) => replaceApi(installation, 'SIGKILL', random),
    allowed: retryableOrLost,
    shortRounds: 2,
  },
  {
    name: 'all-apis-killed',
    about: 'All API processes are killed at once and replaced.',
    fault: async (installation) => {
      const old = [...installation.apis]
      await Promise.all(old.map((api) => stopProcess(api, 'SIGKILL')))
      for (const api of old) installation.forget(api)
      await Promise.all(old.map(() => installation.startApi()))
    },
    allowed: retryableOrLost,
    shortRounds: 1,
  },
  {
    name: 'worker-killed',
    about: 'The worker is killed while it delivers webhooks, and replaced.',
    fault: async (installation, random) => {
      const worker = anyOf(installation.workers, random)
      await sleep(random() * 200)
      await stopProcess(worker, 'SIGKILL')
      installation.forget(worker)
      await installation.startWorker()
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'rolling-restart',
    about: 'A new API process is added behind the balancer, and an old one is stopped with SIGTERM.',
    fault: async (installation) => {
      const [old] = installation.apis
      if (old === undefined) throw new Error('There is no process.')
      await installation.startApi()
      await drain(installation, old)
    },
    allowed: rollingRestart,
    shortRounds: 1,
  },
  {
    name: 'rolling-upgrade',
    about:
      'The database is migrated, with one interruption; all processes are replaced by the new version, and the next time by the previous one again.',
    fault: async (installation, random) => {
      const { current, previous } = installation
      if (previous === undefined) throw new Error('There is no previous version.')
      const back = installation.version === current
      if (!back) await migrateInterrupted(installation, random)
      installation.version = back ? previous : current
      await replaceAll(installation)
    },
    allowed: rollingRestart,
    shortRounds: 2,
    installation: { upgrades: true },
    skipped: noUpgradeYet,
    unavailable: previousVersionMissing,
  },
  {
    name: 'api-frozen',
    about: 'One API process is stopped for three seconds, and goes on.',
    fault: async (installation, random) => {
      const { child } = anyOf(installation.apis, random)
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
  ...(['+2h', '-2h'] as const).map((offset): Scenario => ({
    name: offset === '+2h' ? 'clock-ahead' : 'clock-behind',
    about: `The clock of one API process and of the worker is ${offset === '+2h' ? 'two hours ahead' : 'two hours behind'}.`,
    fault: (installation) => runWithClock(installation, offset),
    allowed: retryableOrLost,
    shortRounds: 0,
    unavailable: () => (existsSync(clockLibrary) ? undefined : 'libfaketime must be installed.'),
  })),
]
