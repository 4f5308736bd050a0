/** Faults of programs that may stand beside the service: PgBouncer and Redis. */
import { setTimeout as sleep } from 'node:timers/promises'
import { poolerMissing, redisMissing } from '../companions.ts'
import { retryable, type Scenario } from '../scenario.ts'

export const companionScenarios: Scenario[] = [
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
]
