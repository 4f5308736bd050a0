/**
 * Decides which endpoints get a slot. Endpoints that fail or are slow, however many, leave slots for the others, and no
 * client takes all of them.
 */
import type { DueWebhook } from './find-due-webhooks.ts'

export const quickSlots = 300 // Each costs a socket and a few kilobytes.
export const slowSlots = 100 // Shared by the endpoints that fail or are slow.
export const slotsMax = 1_000 // A quick endpoint that hangs becomes slow and frees its slot: this bounds the sum.
export const slotsPerClientMax = 10 // Half of the endpoints that a client can have.
export const slowMs = 1_000 // Most endpoints answer within a tenth of it.
const picksMax = 100 // Endpoints that one statement claims.
const slowRememberedMax = 10_000 // An endpoint that is forgotten counts as quick until it is slow again.

/** An endpoint that is being delivered to. */
export interface DeliveryTurn {
  readonly client_id: number
  /** Its previous delivery failed or was slow. */
  slow: boolean
  /** When it was claimed or last accepted an event. */
  waitingSince: number
  /** Another event was found during the turn. */
  moreDue: boolean
}

export class DeliverySchedule {
  /** Oldest first. */
  readonly #queue = new Map<number, DueWebhook>()
  readonly #turns = new Map<number, DeliveryTurn>()
  /** Endpoints that were slow to accept their last event. */
  readonly #slow = new Set<number>()

  get queued(): number {
    return this.#queue.size
  }

  get inFlight(): number {
    return this.#turns.size
  }

  add(due: Iterable<DueWebhook>): void {
    for (const webhook of due) {
      const turn = this.#turns.get(webhook.webhook_id)
      if (turn !== undefined) turn.moreDue ||= !webhook.retry
      else if (!this.#queue.has(webhook.webhook_id)) this.#queue.set(webhook.webhook_id, webhook)
    }
  }

  /**
   * Takes the endpoints that get a slot now out of the queue, to be claimed. One that is added again before the claim
   * ends stays in the queue, because the claim may not see the new event.
   */
  take(): DueWebhook[] {
    const picked = pickDeliveries({ queue: this.#queue.values(), turns: this.#turns.values(), slow: this.#slow })
    for (const { webhook_id } of picked) this.#queue.delete(webhook_id)
    return picked
  }

  start({ webhook_id, client_id, attempts }: { webhook_id: number; client_id: number; attempts: number }): void {
    this.#turns.set(webhook_id, {
      client_id,
      slow: attempts > 0 || this.#slow.has(webhook_id),
      waitingSince: performance.now(),
      moreDue: this.#queue.delete(webhook_id),
    })
  }

  accepted(webhook_id: number, durationMs: number): void {
    const slow = durationMs > slowMs
    this.#slow.delete(webhook_id)
    if (slow) this.#slow.add(webhook_id)
    for (const oldest of this.#slow) if (this.#slow.size > slowRememberedMax) this.#slow.delete(oldest)
    const turn = this.#turns.get(webhook_id)
    if (turn === undefined) return
    turn.waitingSince = performance.now()
    turn.slow = slow
  }

  /** The turn is over; with events left, the endpoint queues again. */
  end(webhook_id: number, { eventsLeft }: { eventsLeft: boolean }): void {
    const turn = this.#turns.get(webhook_id)
    this.#turns.delete(webhook_id)
    if (turn !== undefined && (eventsLeft || turn.moreDue))
      this.add([{ webhook_id, client_id: turn.client_id, retry: false }])
  }
}

/** The first endpoints of the queue for which there is a slot. */
export function pickDeliveries(
  { queue, turns, slow }: { queue: Iterable<DueWebhook>; turns: Iterable<DeliveryTurn>; slow: ReadonlySet<number> },
  now = performance.now(),
): DueWebhook[] {
  const taken = { all: 0, quick: 0, slow: 0 }
  const ofClient = new Map<number, number>()
  const occupy = (client_id: number, kind: 'quick' | 'slow'): void => {
    taken.all++
    taken[kind]++
    ofClient.set(client_id, (ofClient.get(client_id) ?? 0) + 1)
  }
  for (const turn of turns) occupy(turn.client_id, turn.slow || turn.waitingSince < now - slowMs ? 'slow' : 'quick')
  const picked: DueWebhook[] = []
  for (const webhook of queue) {
    if (picked.length === picksMax || taken.all >= slotsMax) break
    const kind = webhook.retry || slow.has(webhook.webhook_id) ? 'slow' : 'quick'
    if (taken[kind] >= (kind === 'slow' ? slowSlots : quickSlots)) continue
    if ((ofClient.get(webhook.client_id) ?? 0) >= slotsPerClientMax) continue
    picked.push(webhook)
    occupy(webhook.client_id, kind)
  }
  return picked
}
