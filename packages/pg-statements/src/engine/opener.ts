/** Opens connections: several at once while that works, one after another with growing pauses while it fails. */
import type { OpenedClient } from './open-client.ts'

const atOnceMax = 4 // Each costs the server a new process.
const pauseMinMs = 20
const pauseMaxMs = 200 // Well below the second in which a server that is back must be in use again.
const overdueMs = 500 // An attempt that takes longer may wait for a server that is gone, so another is started beside it.

export class Opener {
  readonly #open: () => Promise<OpenedClient>
  #startedAt = 0
  #failures = 0
  #notBefore = 0
  /** Attempts in progress. */
  opening = 0

  constructor(open: () => Promise<OpenedClient>) {
    this.#open = open
  }

  /** How long to wait before the next attempt; 0 for now. */
  waitMs(now: number): number {
    if (this.opening >= atOnceMax) return pauseMaxMs
    if (this.#failures === 0) return 0
    const afterLast = this.opening > 0 ? this.#startedAt + overdueMs - now : 0
    return Math.max(0, afterLast, this.#notBefore - now)
  }

  async start(): Promise<OpenedClient> {
    this.opening++
    this.#startedAt = performance.now()
    try {
      const opened = await this.#open()
      this.#failures = 0
      return opened
    } catch (error) {
      const pauseMs = Math.min(pauseMaxMs, pauseMinMs * 2 ** Math.min(this.#failures++, 10))
      this.#notBefore = performance.now() + pauseMs * (0.5 + Math.random() / 2)
      throw error
    } finally {
      this.opening--
    }
  }
}
