/**
 * The service under overload: orders must still be placed, lists are shed, and the service recovers afterwards.
 *
 * The sustainable load is two fifths of the orders per second that the service places with nothing else to do, together
 * with two fifths of the lists per second that it answers alone. Then three times as much is sent, open-loop: a refused
 * request does not make room for others.
 */
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { settings } from '../../../apps/service/src/config.ts'
import { benchKey } from '../load/bench-keys.ts'
import { watchCpu, type Cpu } from '../run/cpu.ts'
import { operationNamed } from '../run/operations.ts'
import { databaseOptions, openService, prepareDatabase, type BenchWithService } from '../run/prepare.ts'
import { runWrk } from '../run/wrk.ts'
import { integer, workload } from '../workload.ts'

export interface LoadOutcome {
  /** Successes per second. */
  readonly perSecond: number
  /** Requests per second. */
  readonly requested: number
  /** The share of requests that was refused. */
  readonly refused: number
  /** CPU seconds per second of the load generator. On one machine the service lacks them. */
  readonly clientCpu: number
}

interface Both {
  readonly orders: LoadOutcome
  readonly lists: LoadOutcome
}

export interface Overload {
  /** Each alone, at the highest rate. */
  readonly peak: Both
  /** Two fifths of each, together. */
  readonly before: Both
  readonly during: Both & { readonly retryAfter: readonly string[] }
  /** The same as before, ten seconds after the overload has ended. */
  readonly after: Both
}

const sustained = 0.4 // Of each peak, so four fifths of the machine together: with random arrivals, more always queues.
const times = 3
const shortSeconds = 5
const restMs = 10_000

export default workload({
  options: { ...databaseOptions, seconds: integer(60, 'duration of the overload') },
  notes: [
    'Open-loop load with load shedding on. Exits with 1 if orders fell below 0.9 of their peak rate, lists were not refused first, a refusal had no Retry-After, or the service did not recover within ten seconds.',
    'Needs wrk. Takes two minutes with the default duration.',
  ],
  examples: ['overload', 'overload --seconds 20 --json'],
  run: async ({ seconds, ...database }, { show }) => {
    const results = await measureOverload(await prepareDatabase(database), seconds, show)
    const faults = faultsOf(results)
    for (const fault of faults) show(`${fault}\n`)
    return { results, failed: faults.length > 0 }
  },
})

async function measureOverload(url: string, seconds: number, show: (line: string) => void): Promise<Overload> {
  await using at = await openService(url, { settings: { SHED_AFTER_MS: settings.shedAfterMs.defaultText ?? '' } })
  // A connection's pause between two requests is longer than its latency, which would slow the load otherwise.
  const orders = (time: number, rate?: number): Promise<Ready> => prepare(at, 'place-order-5', time, 1.5, rate)
  const lists = (time: number, rate?: number): Promise<Ready> => prepare(at, 'list-orders-20', time, 0.4, rate)
  const both = async (time: number, factor: number): Promise<Both> => {
    const place = await orders(time, peak.orders.perSecond * factor)
    const list = await lists(time, peak.lists.perSecond * factor)
    const [placed, listed] = await Promise.all([place(), list()])
    return { orders: placed, lists: listed }
  }
  const alone = async (time: number): Promise<Both> => ({
    orders: await (await orders(time))(),
    lists: await (await lists(time))(),
  })

  await alone(2) // Warm-up: until the code is compiled.
  const peak = await alone(shortSeconds)
  show(`Each alone: ${described(peak)}.\n`)
  const before = await both(shortSeconds, sustained)
  show(`Two fifths of each, together: ${described(before)}.\n`)
  const ended = new AbortController()
  const watching = watchRetryAfter(at.service.address, ended.signal)
  const loaded = await both(seconds, sustained * times)
  ended.abort()
  const during = { ...loaded, retryAfter: await watching }
  const clientCpu = during.orders.clientCpu + during.lists.clientCpu
  const kept = ordersKept({ peak, during })
  show(
    `${times} times as much for ${seconds} s: ${described(during)}; Retry-After ${during.retryAfter.join(', ')}.
The load generator used ${clientCpu.toFixed(2)} cores. In the rest, orders kept ${kept.toFixed(2)} of their peak rate.\n`,
  )
  await sleep(restMs)
  const after = await both(shortSeconds, sustained)
  show(`Ten seconds later, the sustainable load again: ${described(after)}.\n`)
  return { peak, before, during, after }
}

/** The share of the peak rate of orders, per core left by the load generator, which usually runs on other machines. */
export function ordersKept({ peak, during }: Pick<Overload, 'peak' | 'during'>): number {
  const cores = availableParallelism()
  const rate = ({ perSecond }: LoadOutcome, clientCpu: number): number => perSecond / (cores - clientCpu)
  const clientCpu = during.orders.clientCpu + during.lists.clientCpu
  return rate(during.orders, clientCpu) / rate(peak.orders, peak.orders.clientCpu)
}

/** A sentence for each expectation that failed. */
export function faultsOf({ peak, before, during, after }: Overload): string[] {
  const requestedTimes = Math.min(
    during.orders.requested / before.orders.requested,
    during.lists.requested / before.lists.requested,
  )
  const faults = {
    'The sustainable load was not sustained.': before.orders.refused > 0.01 || before.lists.refused > 0.01,
    'The overload was not close to three times the sustainable load.': requestedTimes < 0.85 * times,
    'Orders fell below 0.9 of their peak rate.': ordersKept({ peak, during }) < 0.9,
    'No list was refused.': during.lists.refused === 0,
    'Orders were refused before lists.': during.orders.refused > during.lists.refused,
    'A refused list had no valid Retry-After.':
      during.retryAfter.length === 0 || !during.retryAfter.every((value) => /^[1-9]\d*$/.test(value)),
    'Requests were refused ten seconds later.': after.orders.refused > 0.01 || after.lists.refused > 0.01,
    'The service was slower ten seconds later.':
      after.orders.perSecond < 0.9 * before.orders.perSecond || after.lists.perSecond < 0.9 * before.lists.perSecond,
  }
  return Object.entries(faults).flatMap(([sentence, holds]) => (holds ? [sentence] : []))
}

const described = ({ orders, lists }: Both): string => `${describedRate(orders)} orders, ${describedRate(lists)} lists`

const describedRate = ({ perSecond, requested, refused }: LoadOutcome): string =>
  `${Math.round(perSecond)} of ${Math.round(requested)} per second (${Math.round(100 * refused)} % refused)`

type Ready = () => Promise<LoadOutcome>

/** Creates the material; the returned function starts the load. A connection sends a request per interval. */
async function prepare(
  { bench, service: { address } }: BenchWithService,
  name: string,
  seconds: number,
  intervalSeconds: number,
  rate?: number,
): Promise<Ready> {
  const operation = operationNamed(name)
  const { supply } = operation
  const material = await supply?.make(bench, Math.ceil((rate ?? supply.perSecond) * (seconds + 1)))
  const connections = rate === undefined ? undefined : Math.ceil(rate * intervalSeconds)
  const paced = rate === undefined ? undefined : { perSecond: rate, latencyMs: 0 }
  return async () => {
    let watching: Promise<Cpu> | undefined
    const started = ({ pid }: { pid: number }): void => {
      watching = watchCpu(bench.session, { after: 0, seconds }, { load: pid })
    }
    const load = { address, seconds, connections, paced, started }
    const { completed, failed, perSecond: requested } = await runWrk(bench, operation, material, load)
    const clientCpu = (await watching)?.load ?? 0
    await sleep(1_000) // Requests in flight when wrk ended are done by then.
    const good = completed - failed
    // A response alone proves nothing. Requests that wrk no longer waited for have their effect, too.
    if (material?.effects) assert((await material.effects()) >= good, 'Not every response was an order.')
    await material?.clear()
    const all = Math.max(1, completed)
    return { perSecond: (requested * good) / all, requested, refused: failed / all, clientCpu }
  }
}

/** Collects the Retry-After values of refused lists. Any other status than 200 and 503 is an error. */
async function watchRetryAfter(address: string, until: AbortSignal): Promise<string[]> {
  const values = new Set<string>()
  while (!until.aborted) {
    const response = await fetch(`${address}/api/v1/orders/?limit=1`, { headers: { authorization: benchKey(1) } })
    assert(response.status === 200 || response.status === 503, `${response.status}: ${await response.text()}`)
    if (response.status === 503) values.add(response.headers.get('retry-after') ?? 'none')
    await response.arrayBuffer().catch(() => undefined)
    await sleep(100)
  }
  return [...values]
}
