/**
 * The connections to the servers. Statements that only read share a few connections and are sent without waiting for the answers of
 * earlier ones: every statement is a transaction of its own, and it saves most wake-ups between the processes. Each statement
 * that writes has a connection for itself as long as there are enough of them, because it may wait for a lock or for its
 * commit; further ones follow on the same connections.
 */
import { cancelWaiting } from './cancel-waiting.ts'
import { ConnectionGroup, sweepEveryMs, type GroupSettings } from './connection-group.ts'
import type { Driver, DriverSettings } from './driver.ts'
import { readHosts } from '../hosts.ts'
import { LeftBehind, type ServerSession } from './left-behind.ts'
import { openClient, type KnownServers, type OpenedClient } from './open-client.ts'
import { Pending } from './fair-queue.ts'
import { sessionSettingNames } from '../session-settings.ts'

const maintainEveryMs = 1_000
const ageMaxDefaultMs = 30 * 60_000

/** Two connections carry 10,000 reads a second. The more reads travel together, the cheaper each is. */
const readersOf = (poolSize: number): number => Math.min(Math.ceil(poolSize / 3), Math.max(2, Math.ceil(poolSize / 9)))
const readingDepthMax = 32 // Enough to fill a turn of the event loop; the rest waits in the queue, where it is fair.

const cancelWithinMs = 1_000 // Later the statement has probably ended.
const writingDepthMax = 4 // Changes that travel together hold each other up by so much.

export function openConnections(settings: DriverSettings): Driver {
  const hosts = readHosts(settings.url, sessionSettingNames(settings))
  const known: KnownServers = { index: 0, leftBehind: new LeftBehind() }
  const { poolSize, statementTimeoutMs } = settings
  const readers = readersOf(poolSize)
  const common = {
    extraMax: Math.ceil(poolSize / 3),
    ageMaxMs: settings.connectionAgeMaxMs ?? ageMaxDefaultMs,
    silentSweeps: (statementTimeoutMs + 1_000) / sweepEveryMs,
    leftBehind: known.leftBehind,
    cancelWaiting: cancelWaitingIn,
    onReadOnly: replaceConnections,
    onReplaced: settings.onReplaced ?? (() => undefined),
  } satisfies Partial<GroupSettings>

  const reading = new ConnectionGroup({
    ...common,
    max: readers,
    depthMax: readingDepthMax,
    areReads: true,
    open: () => openClient(settings, hosts, known, false),
  })
  const writing =
    poolSize === 1
      ? reading
      : new ConnectionGroup({
          ...common,
          max: poolSize - readers,
          depthMax: writingDepthMax,
          areReads: false,
          open: openForWriting,
        })
  const groups = new Set([reading, writing])

  function cancelWaitingIn({ pid, seenAt }: ServerSession): void {
    const now = performance.now()
    const values = cancelWaiting.encode({ pid, seen_at: seenAt })
    const share = reading.queue.shareOf('')
    reading.submit(new Pending(cancelWaiting, values, share, undefined, now, now + cancelWithinMs, ignore, ignore))
  }

  function replaceConnections(): void {
    for (const group of groups) group.replaceAll('read-only')
  }

  /** Reads may go on where changes are refused, but not once another server has taken over. */
  async function openForWriting(): Promise<OpenedClient> {
    const opened = await openClient(settings, hosts, known, true)
    reading.replaceAll('read-only', ({ readOnly }) => readOnly)
    return opened
  }

  let sweeping: NodeJS.Timeout | undefined
  const maintaining = setInterval(() => {
    const now = performance.now()
    for (const group of groups) group.maintain(now)
    if (sweeping !== undefined && reading.isIdle && writing.isIdle) {
      clearInterval(sweeping)
      sweeping = undefined
    }
  }, maintainEveryMs).unref()

  function sweep(): void {
    const now = performance.now()
    for (const group of groups) group.sweep(now)
  }

  return {
    query: (statement, values, caller) =>
      new Promise((resolve, reject) => {
        const group = statement.reads ? reading : writing
        const now = performance.now()
        const share = group.queue.shareOf(caller === undefined ? '' : caller.share)
        const deadline = caller === undefined ? now + statementTimeoutMs : caller.deadline
        sweeping ??= setInterval(sweep, sweepEveryMs).unref()
        group.submit(new Pending(statement, values, share, caller, now, deadline, resolve, reject))
      }),
    replaceConnections,
    load: () => ({ reading: reading.expectedWaitMs(), writing: writing.expectedWaitMs() }),
    loadOf: (share) => {
      let byShare = 0
      let byAll = 0
      for (const { queue } of groups) {
        const used = queue.usedLately(share)
        byShare += used.byShare
        byAll += used.byAll
      }
      return byAll > 0 ? byShare / byAll : 0
    },
    state: () => {
      const states = [...groups].map((group) => group.state())
      const sum = (of: 'open' | 'busy' | 'stuck' | 'queued'): number =>
        states.reduce((total, state) => total + state[of], 0)
      return { open: sum('open'), busy: sum('busy'), stuck: sum('stuck'), queued: sum('queued') }
    },
    close: async () => {
      clearInterval(maintaining)
      await Promise.all([...groups].map((group) => group.close()))
      clearInterval(sweeping)
    },
  }
}

const ignore = (): void => undefined
