/** Hears the notifications of a channel, on a session of its own that is replaced when it is lost. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { DriverSettings } from './engine/driver.ts'
import { LeftBehind } from './engine/left-behind.ts'
import { openClient } from './engine/open-client.ts'
import { readHosts } from './hosts.ts'
import { sessionSettingNames } from './session-settings.ts'

const retryMs = 1_000

export interface Listener {
  readonly isHearing: () => boolean
  /** Replaces the session, which may be lost without a sign. */
  readonly renew: () => void
  readonly close: () => Promise<void>
}

/** Calls `onHeard` for each notification, and when a session begins to hear: some may have been missed before. */
export function listen(
  settings: Pick<DriverSettings, 'url' | 'timeZone' | 'statementTimeoutMs' | 'sessionName'>,
  channel: string,
  onHeard: () => void,
): Listener {
  const own = { ...settings, poolSize: 1 }
  const hosts = readHosts(settings.url, sessionSettingNames(own))
  const known = { index: 0, leftBehind: new LeftBehind() }
  const closing = new AbortController()
  let session: pg.Client | undefined

  async function hear(): Promise<void> {
    const { client } = await openClient(own, hosts, known, true)
    const ended = new Promise((resolve) => client.once('end', resolve))
    client.on('notification', onHeard)
    await client.query(`listen ${channel}`)
    if (closing.signal.aborted) return client.end()
    session = client
    onHeard()
    await ended
  }

  async function hearUntilClosed(): Promise<void> {
    while (!closing.signal.aborted) {
      await hear().catch(() => undefined) // The next attempt may reach a server.
      session = undefined
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const hearing = hearUntilClosed()

  return {
    isHearing: () => session !== undefined,
    renew: () => session?.connection.stream.destroy(),
    close: async () => {
      closing.abort()
      session?.connection.stream.destroy()
      await hearing
    },
  }
}
