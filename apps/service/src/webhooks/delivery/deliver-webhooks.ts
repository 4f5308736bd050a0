/**
 * Delivers events to the endpoints of all clients until it is stopped: finds endpoints with something to send, gives
 * them slots, leases them and delivers. Several workers can run at once. No event is lost: an endpoint's position moves
 * only after a response, and the scan finds every endpoint that is behind.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { payAttention } from '../due/attention.ts'
import { deliverToEndpoint, type DeliveryOptions } from './deliver-to-endpoint.ts'
import { endpointsInFlight, endpointsWaiting } from '../due/delivery-metrics.ts'
import { makeDueWebhookFinder } from '../due/find-due-webhooks.ts'
import { makeWebhookLeases, type LeasedEndpoint } from '../due/lease-webhooks.ts'
import type { Lease } from '../due/leases.ts'
import { keepConnections } from './keep-connections.ts'
import { makePendingEventsReader } from '../due/read-pending-events.ts'
import { makeDeliveryRecorder } from './record-deliveries.ts'
import { DeliverySchedule } from '../due/schedule-deliveries.ts'
import { sendTestEvents } from './send-test-events.ts'
import type { Hints } from '../../events/change-hints.ts'

const pollEveryMs = 50
const scanEveryMs = 500
const sendTestsEveryMs = 500
const testsPerRoundMax = 20
const testsInFlightMax = 50 // Each may hang for 15 seconds.
const pauseAfterErrorMs = 1_000
const idleMsMax = 10_000 // From one look to the next while nothing happens.
const testsIdleMs = 60_000 // A hint announces each.

export interface RunningWebhookDelivery {
  /** Waits for the requests in flight, then releases their endpoints. */
  readonly stop: () => Promise<void>
}

interface Started extends DeliveryOptions {
  readonly logger: Logger
  /** Without it the worker asks for new events all the time. */
  readonly listenForHints?: (onHint: () => void) => Hints
  /** Without it nothing is pushed to the endpoints of the feed. */
  readonly startFeedPush?: (options: DeliveryOptions, run: FeedRun) => FeedPush
}

/** Pushes the operators' feed (feed-endpoints/). */
export interface FeedPush {
  /** Claims those that no turn of this process holds, and starts a turn for each. */
  readonly push: (endpoint_ids: readonly number[]) => Promise<void>
  /** Those in progress. */
  readonly turns: () => Promise<void>[]
  readonly renewAll: () => Promise<void>
  readonly close: () => void
}

export interface FeedRun {
  /** Aborted when the process stops: nothing more is started. */
  readonly stopped: AbortSignal
  readonly onError: (error: unknown) => void
}

export function startWebhookDelivery(options: Started): RunningWebhookDelivery {
  const { db, leaseMs, logger } = options
  const finder = makeDueWebhookFinder(db)
  const schedule = new DeliverySchedule()
  const leases = makeWebhookLeases(db, leaseMs)
  const connections = keepConnections(options)
  const delivering = {
    ...options,
    connections,
    reader: makePendingEventsReader(options),
    recorder: makeDeliveryRecorder(db, leaseMs),
  }
  const errors = new ErrorLog(logger)
  const servedAt = new Map<number, number>() // Of endpoints that wait for their next turn.
  const turns = new Set<Promise<void>>()
  const tests = new Set<Promise<void>>()
  const stopping = new AbortController()
  const stopped = stopping.signal
  const feed = options.startFeedPush?.(options, { stopped, onError: errors.report })

  const attention = payAttention(options.listenForHints)
  let nextRetryMs = 0
  let isScanned = false

  async function poll(withoutHint: boolean): Promise<void> {
    const found = await finder.poll()
    nextRetryMs = found.nextRetryMs
    const { dueOfFeed } = found
    if (found.due.length > 0 || dueOfFeed.length > 0 || !found.isComplete) attention.keep()
    if (withoutHint && (dueOfFeed.length > 0 || found.due.some(({ retry }) => !retry))) attention.doubt()
    schedule.add(found.due)
    await Promise.all([claimDue(), feed?.push(dueOfFeed)])
  }

  async function scan(): Promise<void> {
    const { due, isLastPage } = await finder.scan()
    isScanned = isLastPage
    schedule.add(due)
    await claimDue()
  }

  let claiming: Promise<void> | undefined
  async function claimDue(): Promise<void> {
    if (claiming !== undefined) return
    claiming = claimWhileSlotsAreFree()
    try {
      await claiming
    } finally {
      claiming = undefined
      endpointsWaiting.set(schedule.queued)
    }
  }

  async function claimWhileSlotsAreFree(): Promise<void> {
    for (let due = schedule.take(); due.length > 0 && !stopped.aborted; due = schedule.take()) {
      try {
        const claimed = await leases.claim(due.map(({ webhook_id }) => webhook_id))
        for (const { endpoint, lease } of claimed) startTurn(endpoint, lease)
      } catch (error) {
        schedule.add(due)
        throw error
      }
    }
  }

  function startTurn(endpoint: LeasedEndpoint, lease: Lease): void {
    schedule.start(endpoint)
    endpointsInFlight.set(schedule.inFlight)
    track(turns, deliverTurn(endpoint, lease))
  }

  async function deliverTurn(endpoint: LeasedEndpoint, lease: Lease): Promise<void> {
    const { webhook_id } = endpoint
    let eventsLeft = false
    try {
      const onAccepted = (durationMs: number): void => schedule.accepted(webhook_id, durationMs)
      const turnEnd = await deliverToEndpoint(delivering, endpoint, {
        lease,
        stopped,
        onAccepted,
        servedAt: servedAt.get(webhook_id),
      })
      servedAt.delete(webhook_id)
      if (turnEnd === 'turn_over') {
        await leases.release(endpoint, lease)
        eventsLeft = true
        if (!stopped.aborted) servedAt.set(webhook_id, Date.now())
      }
    } catch (error) {
      errors.report(error) // The lease expires, and the scan finds the endpoint.
    }
    leases.forget(endpoint)
    schedule.end(webhook_id, { eventsLeft })
    endpointsInFlight.set(schedule.inFlight)
    if (schedule.queued > 0) void claimDue().catch(errors.report)
  }

  async function sendTests(): Promise<void> {
    const tests_max = Math.min(testsPerRoundMax, testsInFlightMax - tests.size)
    if (tests_max === 0) return
    for (const test of await sendTestEvents(options, tests_max)) track(tests, test.catch(errors.report))
  }

  async function repeat<R>(work: (rested: R) => Promise<void>, first: R, rest: () => Promise<R>, end: AbortSignal) {
    for (let rested = first; !end.aborted; rested = await rest())
      try {
        await work(rested)
        errors.clear()
      } catch (error) {
        errors.report(error)
        await pause(pauseAfterErrorMs, end)
      }
  }

  const restFor = (everyMs: number, idleMs: () => number) => () =>
    attention.rest({ everyMs, idleMs: idleMs(), end: stopped })
  const pollIdleMs = (): number => Math.max(pollEveryMs, Math.min(idleMsMax, nextRetryMs))
  const scanIdleMs = (): number => (isScanned ? idleMsMax : scanEveryMs)
  const finding = [
    repeat(poll, false, restFor(pollEveryMs, pollIdleMs), stopped),
    repeat(scan, false, restFor(scanEveryMs, scanIdleMs), stopped),
    repeat(
      sendTests,
      false,
      restFor(sendTestsEveryMs, () => testsIdleMs),
      stopped,
    ),
  ]
  const ended = new AbortController()
  const renewAll = async (): Promise<void> => void (await Promise.all([leases.renewAll(), feed?.renewAll()]))
  const renewing = repeat(renewAll, undefined, () => pause(leaseMs / 4, ended.signal), ended.signal)
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(finding)
      await attention.close()
      // A request in flight can last as long as an endpoint may take to respond. Its lease is renewed until then.
      const inProgress = (): Promise<void>[] => [
        ...(claiming === undefined ? [] : [claiming]),
        ...turns,
        ...tests,
        ...(feed?.turns() ?? []),
      ]
      for (let work = inProgress(); work.length > 0; work = inProgress()) await Promise.allSettled(work)
      ended.abort()
      await renewing
      leases.close()
      connections.close()
      feed?.close()
    },
  }
}

const pause = (ms: number, end: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: end }).catch(() => undefined)

/** Keeps the work in the set until it ends. */
function track(set: Set<Promise<void>>, work: Promise<void>): void {
  const tracked = work.finally(() => set.delete(tracked))
  set.add(tracked)
}

/** Logs an error once, until work succeeds again: the database may be unavailable for a while. */
class ErrorLog {
  readonly #logger: Logger
  #reported = false

  constructor(logger: Logger) {
    this.#logger = logger
  }

  readonly report = (error: unknown): void => {
    if (!this.#reported) this.#logger.error({ err: error }, 'cannot deliver webhooks; retrying')
    this.#reported = true
  }

  clear(): void {
    this.#reported = false
  }
}
