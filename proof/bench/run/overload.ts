/**
 * The service under overload: orders must still be placed, lists are shed, and the service recovers afterwards.
 *
 * The sustainable load is two fifths of the orders per second that the service places with nothing else to do, together
 * with two fifths of the lists per second that it answers alone. Then three times as much is sent, open-loop: a refused
 * request does not make room for others.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settings } from '../../../apps/service/src/config.ts'
import { benchKey } from '../load/bench-keys.ts'
import { watchCpu, type Cpu } from './cpu.ts'
import type { Bench, Operation } from './operation.ts'
import { operationNamed } from './operations.ts'
import { clientsOf, closeBench, openBench } from './prepare.ts'
import { introduce, startServiceProcess, type ServiceProcess } from './service-process.ts'
import { runWrk, writeKeys } from './wrk.ts'

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

export interface Both {
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
const seconds = { peak: 5, sustained: 5, rest: 10 }

export async function measureOverload(
  url: string,
  overloadSeconds: number,
  show: (line: string) => void,
): Promise<Overload> {
  const folders = [mkdtempSync(join(tmpdir(), 'parts-bench-')), mkdtempSync(join(tmpdir(), 'parts-bench-'))] as const
  const bench = await openBench(url)
  const service = await startServiceProcess(url, { SHED_AFTER_MS: settings.shedAfterMs.defaultText ?? '' })
  try {
    for (const folder of folders) writeKeys(folder, bench.sizes.clients)
    await introduce(service.address, clientsOf(bench))
    const at = { service, bench }
    const orders = (time: number, perSecond?: number): Promise<Ready> =>
      prepare(operationNamed('place-order-5'), {
        ...at,
        folder: folders[0],
        seconds: time,
        perSecond,
        intervalSeconds: 1.5,
      })
    const lists = (time: number, perSecond?: number): Promise<Ready> =>
      prepare(operationNamed('list-orders-20'), {
        ...at,
        folder: folders[1],
        seconds: time,
        perSecond,
        intervalSeconds: 0.4,
      })
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
    const peak = await alone(seconds.peak)
    show(`Each alone: ${described(peak)}.\n`)
    const before = await both(seconds.sustained, sustained)
    show(`Two fifths of each, together: ${described(before)}.\n`)
    const ended = new AbortController()
    const watching = watchRetryAfter(service.address, ended.signal)
    const during = await both(overloadSeconds, sustained * times)
    ended.abort()
    const retryAfter = await watching
    show(
      `${times} times as much for ${overloadSeconds} s: ${described(during)}; Retry-After ${retryAfter.join(', ')}.\n`,
    )
    const clientCpu = during.orders.clientCpu + during.lists.clientCpu
    const kept = ordersKept({ peak, during: { ...during, retryAfter } })
    show(
      `The load generator used ${clientCpu.toFixed(2)} cores. In the rest, orders kept ${kept.toFixed(2)} of their peak rate.\n`,
    )
    await sleep(seconds.rest * 1000)
    const after = await both(seconds.sustained, sustained)
    show(`Ten seconds later, the sustainable load again: ${described(after)}.\n`)
    return { peak, before, during: { ...during, retryAfter }, after }
  } finally {
    await service.stop()
    await closeBench(bench)
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
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

/** Creates the material; the returned function starts the load. */
async function prepare(
  operation: Operation,
  {
    bench,
    service,
    perSecond,
    intervalSeconds,
    ...at
  }: {
    bench: Bench
    service: ServiceProcess
    folder: string
    seconds: number
    perSecond: number | undefined
    /** Time between two requests of a connection: longer than its latency, which would slow the load otherwise. */
    intervalSeconds: number
  },
): Promise<Ready> {
  const { supply } = operation
  const material = await supply?.make(bench, Math.ceil((perSecond ?? supply.perSecond) * (at.seconds + 1)))
  const paced = perSecond !== undefined && {
    connections: Math.ceil(perSecond * intervalSeconds),
    paced: { perSecond, latencyMs: 0 },
  }
  return async () => {
    let watching: Promise<Cpu> | undefined
    const {
      completed,
      failed,
      perSecond: requested,
    } = await runWrk(bench, operation, material, {
      ...at,
      ...paced,
      address: service.address,
      started: ({ pid }) => (watching = watchCpu(bench.session, { after: 0, seconds: at.seconds }, { load: pid })),
    })
    const clientCpu = (await watching)?.load ?? 0
    await sleep(1_000) // Requests in flight when wrk ended are done by then.
    const good = completed - failed
    // A response alone proves nothing. Requests that wrk no longer waited for have their effect, too.
    if (material?.effects) assert((await material.effects()) >= good, 'Not every response was an order.')
    await material?.clear()
    return {
      perSecond: (requested * good) / Math.max(1, completed),
      requested,
      refused: failed / Math.max(1, completed),
      clientCpu,
    }
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
