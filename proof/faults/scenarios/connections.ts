/** Faults between the service and PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises'
import { retryable, type Scenario } from '../scenario.ts'

const changes = /^(place-order|add-cart-item|create-cart|cancel-order)$/

export const connectionScenarios: Scenario[] = [
  {
    name: 'connections-cut',
    about: 'All connections to PostgreSQL break.',
    fault: async ({ proxy }) => proxy.cut(),
    allowed: retryable,
    shortRounds: 3,
  },
  {
    name: 'server-unreachable',
    about: 'All connections break, and for a second no new one can be opened.',
    fault: async ({ proxy }) => {
      proxy.refusing = true
      proxy.cut()
      await sleep(1_000)
      proxy.refusing = false
    },
    allowed: retryable,
    shortRounds: 2,
  },
  {
    name: 'connections-frozen',
    about: 'Nothing is forwarded for two seconds; the connections stay open.',
    fault: async ({ proxy }) => {
      proxy.freeze(true)
      await sleep(2_000)
      proxy.freeze(false)
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'network-lost',
    about: 'Nothing is forwarded for twelve seconds, longer than the service waits, and then all connections break.',
    fault: async ({ proxy }) => {
      proxy.freeze(true)
      await sleep(12_000)
      proxy.cut()
      proxy.freeze(false)
    },
    allowed: retryable,
    shortRounds: 0,
  },
  {
    name: 'network-slow',
    about: 'Everything that PostgreSQL sends takes 50 ms longer, for three seconds.',
    fault: async ({ proxy }) => {
      proxy.delayMs = 50
      await sleep(3_000)
      proxy.delayMs = 0
    },
    allowed: retryable,
    shortRounds: 1,
  },
  {
    name: 'answers-lost',
    about: 'Connections break exactly between the commit of a change and its answer, a hundred times.',
    fault: async ({ proxy }, random) => {
      const wanted = proxy.lost() + 100
      proxy.losesAnswer = (statement) => changes.test(statement) && random() < 0.5
      const deadline = performance.now() + 60_000
      while (proxy.lost() < wanted && performance.now() < deadline) await sleep(20)
      proxy.losesAnswer = () => false
    },
    allowed: retryable,
    shortRounds: 1,
  },
]
