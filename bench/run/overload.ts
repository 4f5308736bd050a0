/** Whether the service holds under more load than it can answer: orders go on being placed, lists are refused, and afterwards all is well. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settings } from '../../service/src/config.ts'
import { benchKey } from '../load/bench-keys.ts'
import { createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { silent } from '../load/progress.ts'
import { connections, type Bench, type Operation } from './operation.ts'
import { operations } from './operations.ts'
import { closeBench, openBench, sizeOf } from './prepare.ts'
import { introduce, startService } from './service-process.ts'
import { runWrk, writeKeys, type Pace } from './wrk.ts'

/** Answers a second, and the share of requests that were refused. At its peak rate a list is at the edge of it on a busy machine. */
interface Answers {
  readonly perSecond: number
  readonly refused: number
}

export interface Overload {
  readonly before: { readonly orders: Answers; readonly lists: Answers }
  readonly during: { readonly orders: Answers; readonly lists: Answers; readonly retryAfter: readonly string[] }
  /** Ten seconds after the load has stopped. */
  readonly after: { readonly orders: Answers; readonly lists: Answers }
}

const ordersFactor = 3 // Connections, of those that place orders at the highest rate.
const listsFactor = 2 // Of the rate at which lists could be answered if nothing else were to do.
const seconds = { peak: 5, overload: 10, rest: 10 }

export async function measureOverload(show: (line: string) => void): Promise<Overload> {
  const url = databaseUrl('parts_bench_overload')
  const folders = [mkdtempSync(join(tmpdir(), 'parts-bench-')), mkdtempSync(join(tmpdir(), 'parts-bench-'))] as const
  await createDatabase(url, true)
  await load(url, sizeOf('2000').sizes, silent)
  const bench = await openBench(url)
  const service = await startService(url, { SHED_AFTER_MS: settings.shedAfterMs.standard ?? '' })
  try {
    for (const folder of folders) writeKeys(folder, bench.sizes.clients)
    await introduce(
      service.address,
      Array.from({ length: bench.sizes.clients }, (_, n) => n + 1),
    )
    const { address } = service
    const orders = (time: number, times = 1): Promise<Answers> =>
      run(bench, named('place-order-5'), {
        address,
        folder: folders[0],
        seconds: time,
        connections: connections * times,
      })
    const lists = (time: number, paced?: Pace): Promise<Answers> =>
      run(bench, named('list-orders-20'), { address, folder: folders[1], seconds: time, ...(paced && { paced }) })

    await orders(2) // Until its code is compiled.
    await lists(1)
    const before = { orders: await orders(seconds.peak), lists: await lists(seconds.peak) }
    show(`Alone: ${told(before.orders)} orders, ${told(before.lists)} lists.\n`)
    const asked = new AbortController()
    const watching = watchRetryAfter(address, asked.signal)
    const [besieged, refused] = await Promise.all([
      orders(seconds.overload, ordersFactor),
      lists(seconds.overload, { perSecond: before.lists.perSecond * listsFactor, answerMs: 0 }),
    ])
    asked.abort()
    const during = { orders: besieged, lists: refused, retryAfter: await watching }
    show(`Overloaded: ${told(besieged)} orders, ${told(refused)} lists; Retry-After ${during.retryAfter.join(', ')}.\n`)
    await sleep(seconds.rest * 1000)
    const after = { orders: await orders(seconds.peak), lists: await lists(seconds.peak) }
    show(`Ten seconds later: ${told(after.orders)} orders, ${told(after.lists)} lists.\n`)
    return { before, during, after }
  } finally {
    await service.stop()
    await closeBench(bench)
    await dropDatabase(url)
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
}

/** A sentence for whatever did not hold. Afterwards a busy machine may take a fifth off by itself. */
export function faultsOf({ before, during, after }: Overload): string[] {
  const faults = {
    'Orders fell below 0.9 of their peak rate.': during.orders.perSecond < 0.9 * before.orders.perSecond,
    'Orders were refused.': during.orders.refused > 0,
    'No list was refused.': during.lists.refused === 0,
    'A refused list did not say when to come back.': !during.retryAfter.every((value) => /^[1-9]\d*$/.test(value)),
    'More was refused ten seconds later than before.':
      after.orders.refused > before.orders.refused + 0.05 || after.lists.refused > before.lists.refused + 0.05,
    'It was slower ten seconds later.':
      after.orders.perSecond < 0.8 * before.orders.perSecond || after.lists.perSecond < 0.8 * before.lists.perSecond,
  }
  return Object.entries(faults).flatMap(([sentence, holds]) => (holds ? [sentence] : []))
}

const told = ({ perSecond, refused }: Answers): string =>
  `${Math.round(perSecond)} a second (${Math.round(100 * refused)} % refused)`

function named(name: string): Operation {
  const operation = operations.find((one) => one.name === name)
  assert(operation)
  return operation
}

async function run(
  bench: Bench,
  operation: Operation,
  load_: { address: string; folder: string; seconds: number; connections?: number; paced?: Pace },
): Promise<Answers> {
  const { supply } = operation
  const material = await supply?.make(bench, supply.perSecond * load_.seconds)
  const { answered, failed, perSecond } = await runWrk(bench, operation, material, {
    ...load_,
    started: () => undefined,
  })
  await sleep(500) // What was under way when wrk ended is done by then.
  const good = answered - failed
  if (material?.effects)
    assert(
      Math.abs((await material.effects()) - good) <= (load_.connections ?? connections),
      'Not every answer was an order.',
    )
  await material?.clear()
  return { perSecond: (perSecond * good) / Math.max(1, answered), refused: failed / Math.max(1, answered) }
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
