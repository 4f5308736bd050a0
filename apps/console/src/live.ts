/**
 * What happens while a page is open: one long poll per browser on the operators' feed. Of several tabs one polls, the one
 * that holds a lock, and tells the others; it stops while no tab is in view. Browsers have locks on https and on this
 * machine; elsewhere each tab polls.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { FeedEvent } from '@parts-ordering/client/operator'
import { api, codeOf, isSignedOut } from './api.ts'

export interface Happened {
  readonly event_type: FeedEvent['event_type']
  readonly order_id: number | null
  readonly actor: string
  readonly data: Readonly<Record<string, unknown>>
}

type Listener = (events: readonly Happened[]) => void

const listeners = new Set<Listener>()
const waitSeconds = 10 // The longest that the service waits.
const retryMs = 3_000

let isOn = true
const stateListeners = new Set<() => void>()
const setOn = (on: boolean): void => {
  isOn = on
  for (const notify of stateListeners) notify()
}

export const useIsLive = (): boolean =>
  useSyncExternalStore(
    (notify) => {
      stateListeners.add(notify)
      return () => void stateListeners.delete(notify)
    },
    () => isOn,
  )

/** Calls back with what happened, in order. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const call: Listener = (events) => latest.current(events)
    listeners.add(call)
    return () => void listeners.delete(call)
  }, [])
}

const tell: Listener = (events) => {
  for (const listener of listeners) listener(events)
}

/** What happened, or whether the service answers. */
type Shared = readonly Happened[] | boolean

/** Starts listening; call the result to stop. */
export function goLive(calls: { onSignedOut: () => unknown; onBack: () => unknown }): () => void {
  const stopped = new AbortController()
  const channel = new BroadcastChannel('parts-console-live')
  const take = (shared: Shared): void => {
    if (typeof shared !== 'boolean') tell(shared)
    else if (shared !== isOn) {
      setOn(shared)
      if (shared) calls.onBack()
    }
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Shared>) => take(data))
  const share = (shared: Shared): void => {
    take(shared)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has no target.
    channel.postMessage(shared)
  }
  const poll = async (): Promise<void> => {
    await pollUntil(stopped.signal, share)
    if (!stopped.signal.aborted) calls.onSignedOut()
  }
  if ('locks' in navigator)
    navigator.locks.request('parts-console-live', { signal: stopped.signal }, poll).catch(() => undefined)
  else void poll()
  return () => {
    stopped.abort()
    channel.close()
  }
}

/** Until the session ends. */
async function pollUntil(signal: AbortSignal, share: (shared: Shared) => void): Promise<void> {
  let cursor: string | undefined
  while (!signal.aborted) {
    try {
      await untilVisible(signal)
      const page: { events: readonly FeedEvent[]; next_cursor: string } = await api.followEvents(
        cursor === undefined ? { from: 'now' } : { cursor, wait: waitSeconds, limit: 100 },
        { signal, retries: 0 },
      )
      cursor = page.next_cursor
      if (!isOn) share(true)
      if (page.events.length > 0) share(page.events.map(happenedOf))
    } catch (error) {
      if (signal.aborted || isSignedOut(error)) return
      if (codeOf(error) === 'feed_expired') cursor = undefined
      share(false)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

const happenedOf = (event: FeedEvent): Happened => ({
  event_type: event.event_type,
  order_id: event.order_id,
  actor: event.actor,
  data: event.data,
})

function untilVisible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve()
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', check, { once: true })
  })
}
