/** What is done can be taken back for ten seconds. It is sent after that, or at once when the page is left. */
import { useEffect, useRef } from 'react'

export const undoMs = 10_000

interface Waiting {
  readonly send: () => Promise<void>
  readonly timer: number
  /** What is done at once is taken back at once. */
  readonly batch: number
}

export interface Undoable {
  readonly add: (ids: readonly string[], send: (id: string) => Promise<void>) => void
  /** Answers with what was not sent yet: of these, or of what was done last. */
  readonly takeBack: (ids?: readonly string[]) => string[]
}

const leaves = new Set<() => Promise<unknown>>()

/** Sends what waits on the page, before its session is ended. */
export const sendWaiting = () => Promise.all([...leaves].map((leave) => leave()))

export function useUndoable(): Undoable {
  const waiting = useRef(new Map<string, Waiting>()).current
  const sent = useRef(Promise.resolve())
  const batch = useRef(0)
  const take = (id: string): Waiting | undefined => {
    const one = waiting.get(id)
    clearTimeout(one?.timer)
    waiting.delete(id)
    return one
  }
  useEffect(() => {
    // All at once: nothing runs later in a page that is closed. The requests outlive it.
    const leave = () => Promise.all([...waiting.keys()].map(async (id) => take(id)?.send()))
    const hide = (): void => void leave()
    leaves.add(leave)
    addEventListener('pagehide', hide)
    return () => {
      leaves.delete(leave)
      removeEventListener('pagehide', hide)
      hide()
    }
    // oxlint-disable-next-line react/exhaustive-deps -- The map is always the same.
  }, [])
  return {
    add: (ids, send) => {
      batch.current += 1
      for (const id of ids) {
        const timer = window.setTimeout(() => {
          sent.current = sent.current.then(() => take(id)?.send())
        }, undoMs)
        waiting.set(id, { send: () => send(id), timer, batch: batch.current })
      }
    },
    takeBack: (ids) => {
      const last = Math.max(...[...waiting.values()].map((one) => one.batch))
      const chosen = ids ?? [...waiting].filter(([, one]) => one.batch === last).map(([id]) => id)
      return chosen.filter((id) => take(id) !== undefined)
    },
  }
}
