/**
 * Leases on endpoints: only the worker that holds an endpoint delivers to it. Each claim gives its leases a new name, so
 * that a statement for an earlier lease changes nothing. Every change of an endpoint's settings drops its lease.
 */
import { randomUUID } from 'node:crypto'

export interface Lease {
  readonly name: string
  /** Aborted shortly before another worker may claim the endpoint. */
  readonly lost: AbortSignal
  /** A statement that was sent at this time has extended the lease. */
  readonly extend: (sentAt: number) => void
}

export interface Leases<E> {
  /** Those of the endpoints that have something to send and that no worker holds. */
  readonly claim: (ids: number[]) => Promise<{ endpoint: E; lease: Lease }[]>
  readonly renewAll: () => Promise<void>
  readonly release: (endpoint: E, lease: Lease) => Promise<void>
  /** The lease was released or lost, and is not renewed any more. */
  readonly forget: (endpoint: E) => void
  readonly close: () => void
}

/** The statements for one kind of endpoint. */
interface LeaseStatements<E> {
  readonly idOf: (endpoint: E) => number
  readonly claim: (ids: number[], lease: string) => Promise<E[]>
  /** The ids of those that were still held by one of the leases. */
  readonly renew: (ids: number[], leases: string[]) => Promise<number[]>
  readonly release: (endpoint: E, lease: string) => Promise<unknown>
}

export function makeLeases<E>(leaseMs: number, { idOf, claim, renew, release }: LeaseStatements<E>): Leases<E> {
  const held = new Map<number, HeldLease>()

  // Without the database no statement would report that a lease has ended.
  const watch = setInterval(() => {
    for (const lease of held.values()) lease.abortBefore(performance.now() + leaseMs / 8)
  }, leaseMs / 8)

  return {
    claim: async (ids) => {
      const [name, sentAt] = [randomUUID(), performance.now()]
      return (await claim(ids, name)).map((endpoint) => {
        const lease = new HeldLease(name, { leaseMs, sentAt })
        held.set(idOf(endpoint), lease)
        return { endpoint, lease }
      })
    },
    renewAll: async () => {
      if (held.size === 0) return
      const [renewing, sentAt] = [new Map(held), performance.now()]
      const leases = [...new Set([...renewing.values()].map(({ name }) => name))]
      for (const id of await renew([...renewing.keys()], leases)) {
        const lease = held.get(id)
        if (lease === renewing.get(id)) lease?.extend(sentAt) // Not one that was claimed in the meantime.
      }
    },
    release: async (endpoint, { name }) => void (await release(endpoint, name)),
    forget: (endpoint) => void held.delete(idOf(endpoint)),
    close: () => clearInterval(watch),
  }
}

class HeldLease implements Lease {
  readonly name: string
  readonly #leaseMs: number
  readonly #lost = new AbortController()
  #heldUntil: number

  constructor(name: string, { leaseMs, sentAt }: { leaseMs: number; sentAt: number }) {
    this.name = name
    this.#leaseMs = leaseMs
    this.#heldUntil = sentAt + leaseMs
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  extend(sentAt: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, sentAt + this.#leaseMs)
  }

  abortBefore(time: number): void {
    if (this.#heldUntil < time) this.#lost.abort()
  }
}
