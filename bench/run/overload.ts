/**
 * Whether the service holds under more load than it can answer: orders go on being placed, lists are refused, and afterwards all is well.
 *
 * What can be sustained is two fifths of the orders that it can place with nothing else to do, together with two fifths of the lists
 * that it can answer. Three times as much is then asked for, by people who do not wait for one another: whoever is refused makes no room for others.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settings } from '../../service/src/config.ts'
import { benchKey } from '../load/bench-keys.ts'
import { watchCpu, type Cpu } from './cpu.ts'
import type { Bench, Operation } from './operation.ts'
import { operationNamed } from './operations.ts'
import { clientsOf, closeBench, openBench } from './prepare.ts'
import { introduce, startServiceProcess, type ServiceProcess } from './service-process.ts'
import { runWrk, writeKeys } from './wrk.ts'

/** Successes a second, what was asked for a second, and the share of it that was refused. */
export interface Answers {
  readonly perSecond: number
  readonly asked: number
  readonly refused: number
  /** CPU seconds a second that asking took. On one machine the service does not have them. */
  readonly askingCpu: number
}

export interface Both {
  readonly orders: Answers
  readonly lists: Answers
}

export interface Overload {
  /** Each alone, as fast as they go. */
  readonly peak: Both
  /** Two fifths of each, together. */
  readonly before: Both
  readonly during: Both & { readonly retryAfter: readonly string[] }
  /** The same as before, ten seconds after the load has stopped. */
  readonly after: Both
}

const sustained = 0.4 // Of each peak: together four fifths of the machine, since more is never free of queues when people come at random.
const times = 3
const seconds = { peak: 5, sustained: 5, rest: 10 }

export async function measureOverload(
  url: string,
  overloadSeconds: number,
  show: (line: string) => void,
): Promise<Overload> {
  const folders = [mkdtempSync(join(tmpdir(), 'parts-bench-')), mkdtempSync(join(tmpdir(), 'parts-bench-'))] as const
  const bench = await openBench(url)
  const service = await startServiceProcess(url, { SHED_AFTER_MS: settings.shedAfterMs.standard ?? '' })
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
        askingSeconds: 1.5,
      })
    const lists = (time: number, perSecond?: number): Promise<Ready> =>
      prepare(operationNamed('list-orders-20'), {
        ...at,
        folder: folders[1],
        seconds: time,
        perSecond,
        askingSeconds: 0.4,
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

    await alone(2) // Until its code is compiled.
    const peak = await alone(seconds.peak)
    show(`Each alone: ${told(peak)}.\n`)
    const before = await both(seconds.sustained, sustained)
    show(`Two fifths of each together: ${told(before)}.\n`)
    const ended = new AbortController()
    const watching = watchRetryAfter(service.address, ended.signal)
    const during = await both(overloadSeconds, sustained * times)
    ended.abort()
    const retryAfter = await watching
    show(`${times} times as much for ${overloadSeconds} s: ${told(during)}; Retry-After ${retryAfter.join(', ')}.\n`)
    const asking = during.orders.askingCpu + during.lists.askingCpu
    const kept = ordersKept({ peak, during: { ...during, retryAfter } })
    show(
      `Asking took ${asking.toFixed(2)} cores. In what it left, orders kept ${kept.toFixed(2)} of their peak rate.\n`,
    )
    await sleep(seconds.rest * 1000)
    const after = await both(seconds.sustained, sustained)
    show(`Ten seconds later, as before: ${told(after)}.\n`)
    return { peak, before, during: { ...during, retryAfter }, after }
  } finally {
    await service.stop()
    await closeBench(bench)
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
}

/** Of the peak rate of orders, in the time of the processors that asking leaves: elsewhere those who ask have their own. */
export function ordersKept({ peak, during }: Pick<Overload, 'peak' | 'during'>): number {
  const cores = availableParallelism()
  const rate = ({ perSecond }: Answers, askingCpu: number): number => perSecond / (cores - askingCpu)
  const asking = during.orders.askingCpu + during.lists.askingCpu
  return rate(during.orders, asking) / rate(peak.orders, peak.orders.askingCpu)
}

/** A sentence for whatever did not hold. */
export function faultsOf({ peak, before, during, after }: Overload): string[] {
  const askedTimes = Math.min(during.orders.asked / before.orders.asked, during.lists.asked / before.lists.asked)
  const faults = {
    'What should be sustained was not.': before.orders.refused > 0.01 || before.lists.refused > 0.01,
    'The load was not nearly three times as much.': askedTimes < 0.85 * times,
    'Orders fell below 0.9 of their peak rate.': ordersKept({ peak, during }) < 0.9,
    'No list was refused.': during.lists.refused === 0,
    'Orders were refused before lists.': during.orders.refused > during.lists.refused,
    'A refused list did not say when to come back.':
      during.retryAfter.length === 0 || !during.retryAfter.every((value) => /^[1-9]\d*$/.test(value)),
    'Something was refused ten seconds later.': after.orders.refused > 0.01 || after.lists.refused > 0.01,
    'It was slower ten seconds later.':
      after.orders.perSecond < 0.9 * before.orders.perSecond || after.lists.perSecond < 0.9 * before.lists.perSecond,
  }
  return Object.entries(faults).flatMap(([sentence, holds]) => (holds ? [sentence] : []))
}

const told = ({ orders, lists }: Both): string => `${toldOf(orders)} orders, ${toldOf(lists)} lists`

const toldOf = ({ perSecond, asked, refused }: Answers): string =>
  `${Math.round(perSecond)} of ${Math.round(asked)} a second (${Math.round(100 * refused)} % refused)`

type Ready = () => Promise<Answers>

/** Lays out what is used up; then it can begin at once. */
async function prepare(
  operation: Operation,
  {
    bench,
    service,
    perSecond,
    askingSeconds,
    ...at
  }: {
    bench: Bench
    service: ServiceProcess
    folder: string
    seconds: number
    perSecond: number | undefined
    /** How long a connection takes to ask again: longer than its answer, which would slow the asking otherwise. */
    askingSeconds: number
  },
): Promise<Ready> {
  const { supply } = operation
  const material = await supply?.make(bench, Math.ceil((perSecond ?? supply.perSecond) * (at.seconds + 1)))
  const paced = perSecond !== undefined && {
    connections: Math.ceil(perSecond * askingSeconds),
    paced: { perSecond, answerMs: 0 },
  }
  return async () => {
    let watching: Promise<Cpu> | undefined
    const {
      answered,
      failed,
      perSecond: asked,
    } = await runWrk(bench, operation, material, {
      ...at,
      ...paced,
      address: service.address,
      started: ({ pid }) => (watching = watchCpu(bench.session, { after: 0, seconds: at.seconds }, { load: pid })),
    })
    const askingCpu = (await watching)?.load ?? 0
    await sleep(1_000) // What was under way when wrk ended is done by then.
    const good = answered - failed
    // An answer alone proves nothing; those that wrk did not wait for any more have their effect too.
    if (material?.effects) assert((await material.effects()) >= good, 'Not every answer was an order.')
    await material?.clear()
    return {
      perSecond: (asked * good) / Math.max(1, answered),
      asked,
      refused: failed / Math.max(1, answered),
      askingCpu,
    }
  }
}

/** What refused lists say about when to come back, and nothing but refusals and lists must come. */
async function watchRetryAfter(address: string, until: AbortSignal): Promise<string[]> {
  const told = new Set<string>()
  while (!until.aborted) {
    const answer = await fetch(`${address}/api/v1/orders/?limit=1`, { headers: { authorization: benchKey(1) } })
    assert(answer.status === 200 || answer.status === 503, `${answer.status}: ${await answer.text()}`)
    if (answer.status === 503) told.add(answer.headers.get('retry-after') ?? 'none')
    await answer.arrayBuffer().catch(() => undefined)
    await sleep(100)
  }
  return [...told]
}
