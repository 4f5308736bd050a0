/**
 * The time before a process stops: it still answers every request, but `/readyz` is 503 and answers close their
 * connections, so that a load balancer sends no more of them.
 */
export interface Drain {
  readonly isStarted: () => boolean
  readonly start: () => void
}

export function makeDrain(): Drain {
  let started = false
  return {
    isStarted: () => started,
    start: () => {
      started = true
    },
  }
}
