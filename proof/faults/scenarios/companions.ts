/** Faults of what surrounds the service: disk, clock, pooler, Redis. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { poolerMissing, redisMissing } from '../companions.ts'
import { stopProcess, type Installation } from '../installation.ts'
import { retryable, retryableOrLost, type Scenario } from '../scenario.ts'

const onSmallDisk = {
  installation: { diskMb: 320, server: { min_wal_size: '32MB', max_wal_size: '48MB', wal_recycle: 'off' } },
  unavailable: () => (process.getuid?.() === 0 ? undefined : 'A small disk can only be mounted by root.'),
} satisfies Partial<Scenario>

const clockLibrary = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const clock = (offset: string): Record<string, string> => ({
  LD_PRELOAD: clockLibrary,
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
})

/** Runs a process of each kind with a clock that is wrong, for three seconds, and then with a right one. */
async function runWithClock(installation: Installation, offset: string): Promise<void> {
  const [api, worker] = [installation.apis[0], installation.workers[0]]
  const restart = async (settings: Record<string, string>): Promise<void> => {
    for (const [old, start] of [
      [installation.apis[0], installation.startApi],
      [installation.workers[0], installation.startWorker],
    ] as const) {
      if (old === undefined) continue
      await start(settings)
      await stopProcess(old, 'SIGTERM')
      installation.forget(old)
    }
  }
  if (api === undefined || worker === undefined) throw new Error('There is no process.')
  await restart(clock(offset))
  await sleep(3_000)
  // The process with the wrong clock is the last one of the list now.
  for (const list of [installation.apis, installation.workers]) list.unshift(...list.splice(-1))
  await restart({})
}

export const companionScenarios: Scenario[] = [
  {
    ...onSmallDisk,
    name: 'disk-full',
    about: 'There is no space left on the disk of PostgreSQL for two seconds.',
    fault: async ({ disk }) => {
      disk?.fill()
      await sleep(2_000)
      disk?.free()
    },
    allowed: retryable,
    shortRounds: 0,
  },
  {
    ...onSmallDisk,
    name: 'log-full',
    about: "There is no space left for PostgreSQL's log: it stops, and is started again when there is space.",
    fault: async ({ disk, cluster, query }) => {
      disk?.fill()
      // A new segment of the log needs space.
      for (let n = 0; n < 10; n++) await query('select pg_switch_wal()').catch(() => undefined)
      await sleep(1_000)
      disk?.free()
      await cluster?.stop('SIGQUIT')
      await cluster?.start()
    },
    allowed: retryable,
    shortRounds: 0,
  },
  {
    name: 'pooler-restarted',
    about: 'PgBouncer is killed, and starts again after a second.',
    fault: async ({ pooler }) => pooler?.restart(1_000),
    allowed: retryable,
    shortRounds: 0,
    installation: { pooler: true },
    unavailable: poolerMissing,
  },
  {
    name: 'redis-lost',
    about: 'Redis, which shares the rate limits, is killed, and starts again after two seconds.',
    fault: async ({ redis }) => redis?.restart(2_000),
    allowed: retryable,
    shortRounds: 0,
    installation: { redis: true },
    unavailable: redisMissing,
  },
  {
    name: 'redis-frozen',
    about: 'Redis does not answer for three seconds.',
    fault: async ({ redis }) => {
      redis?.signal('SIGSTOP')
      await sleep(3_000)
      redis?.signal('SIGCONT')
    },
    allowed: retryable,
    shortRounds: 0,
    installation: { redis: true },
    unavailable: redisMissing,
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
