/** When the worker looks for deliveries: many times a second while something happens, else when a hint says so. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hints } from '../../events/change-hints.ts'

const attentiveMs = 3_000

export interface Attention {
  /** Something is going on: what belongs to it may still follow. */
  readonly keep: () => void
  /** Something happened, and no hint had said so: none may arrive any more. */
  readonly doubt: () => void
  /** Resolves after `everyMs`. If nothing happens it waits for a hint, and resolves to true if none came in `idleMs`. */
  readonly rest: (times: { everyMs: number; idleMs: number; end: AbortSignal }) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** `listenFor` calls back for each hint. Without it nobody rests. */
export function payAttention(listenFor: ((onHint: () => void) => Hints) | undefined): Attention {
  let until = 0
  const resting = new Set<AbortController>()
  const keep = (): void => void (until = performance.now() + attentiveMs)
  keep()
  const hints = listenFor?.(() => {
    keep()
    for (const rest of resting) rest.abort()
  })

  return {
    keep,
    doubt: () => hints?.renew(),
    rest: async ({ everyMs, idleMs, end }) => {
      const isIdle = hints?.isHearing() === true && performance.now() > until
      const rest = new AbortController()
      resting.add(rest)
      const ms = isIdle ? idleMs : everyMs
      const isOver = await sleep(ms, true, { signal: AbortSignal.any([end, rest.signal]) }).catch(() => false)
      resting.delete(rest)
      return isOver && isIdle
    },
    close: async () => hints?.close(),
  }
}
