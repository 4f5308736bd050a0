/** Faults of a primary with two standbys, managed by Patroni. The service needs no restart and no manual step. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from '../installation.ts'
import { patroniMissing, type PatroniCluster, type PatroniNode } from '../patroni-cluster.ts'
import { retryable, type Scenario } from '../scenario.ts'

const patroniOf = ({ patroni }: Installation): PatroniCluster => {
  if (patroni === undefined) throw new Error('This fault needs several servers.')
  return patroni
}

const common = {
  allowed: retryable,
  recoveryMaxMs: 120_000,
  shortRounds: 0,
  installation: { highAvailability: true, workers: 1 },
  unavailable: patroniMissing,
} satisfies Partial<Scenario>

/** Breaks the primary, and returns when another node leads. */
async function failover(
  installation: Installation,
  breakIt: (patroni: PatroniCluster, primary: PatroniNode) => void,
): Promise<PatroniNode> {
  const patroni = patroniOf(installation)
  await patroni.settled()
  const old = await patroni.primary()
  breakIt(patroni, old)
  await anotherLeads(patroni, old)
  return old
}

async function anotherLeads(patroni: PatroniCluster, old: PatroniNode): Promise<void> {
  while ((await patroni.primary()).name === old.name) await sleep(50)
}

export const highAvailabilityScenarios: Scenario[] = [
  {
    ...common,
    name: 'primary-killed',
    about: 'PostgreSQL is killed on the primary. Patroni promotes a standby, and the old primary becomes one.',
    fault: async (installation) =>
      void (await failover(installation, (patroni, primary) => patroni.signal(primary, 'SIGKILL', 'postgres'))),
  },
  {
    ...common,
    name: 'node-lost',
    about: 'PostgreSQL and Patroni are killed on the primary; the node comes back after the failover.',
    fault: async (installation) => {
      const old = await failover(installation, (patroni, primary) =>
        patroni.signal(primary, 'SIGKILL', 'patroni and postgres'),
      )
      patroniOf(installation).start(old)
    },
  },
  {
    ...common,
    name: 'primary-frozen',
    about: 'The primary freezes until another node leads, and then goes on, believing that it leads.',
    fault: async (installation) => {
      const old = await failover(installation, (patroni, primary) =>
        patroni.signal(primary, 'SIGSTOP', 'patroni and postgres'),
      )
      patroniOf(installation).signal(old, 'SIGCONT', 'patroni and postgres')
    },
  },
  {
    ...common,
    name: 'primary-cut-off',
    about: 'Patroni on the primary reaches neither etcd nor the other nodes until another node leads.',
    fault: async (installation) => {
      await failover(installation, (patroni, primary) => patroni.cutOff(primary, 'etcd and the other nodes'))
      patroniOf(installation).reconnect()
    },
  },
  {
    ...common,
    name: 'primary-without-etcd',
    about: 'The primary alone does not reach etcd for 30 seconds; the other nodes agree that it goes on.',
    fault: async (installation) => {
      const patroni = patroniOf(installation)
      await patroni.settled()
      patroni.cutOff(await patroni.primary(), 'etcd')
      await sleep(30_000)
      patroni.reconnect()
    },
  },
  {
    ...common,
    name: 'switchover',
    about: 'A planned switchover to the synchronous standby.',
    fault: async (installation) => {
      const patroni = patroniOf(installation)
      await patroni.settled()
      const old = await patroni.primary()
      await patroni.switchover(await patroni.synchronousStandby())
      await anotherLeads(patroni, old)
    },
  },
  {
    ...common,
    name: 'standby-lost',
    about: 'The synchronous standby is killed with its Patroni, and comes back after five seconds.',
    fault: async (installation) => {
      const patroni = patroniOf(installation)
      await patroni.settled()
      const standby = await patroni.synchronousStandby()
      patroni.signal(standby, 'SIGKILL', 'patroni and postgres')
      await sleep(5_000)
      patroni.start(standby)
    },
  },
  {
    ...common,
    name: 'etcd-lost',
    about: 'etcd is killed for 30 seconds, longer than a leader may go without it; the primary goes on.',
    fault: async (installation) => {
      const patroni = patroniOf(installation)
      await patroni.settled()
      await patroni.stopEtcd()
      await sleep(30_000)
      await patroni.startEtcd()
    },
  },
]
