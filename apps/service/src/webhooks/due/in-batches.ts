/**
 * Collects what is asked for while a statement is running, and does it with the next one. With little to do nothing
 * waits; with much to do, one statement serves many.
 */
export interface Batches<Q, A> {
  readonly do: (question: Q) => Promise<A>
}

/** `doAll` answers in the order of the questions, of which there are at most `max`. */
export function inBatches<Q, A>(doAll: (questions: readonly Q[]) => Promise<readonly A[]>, max: number): Batches<Q, A> {
  interface Waiting {
    readonly question: Q
    readonly resolve: (answer: A) => void
    readonly reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let running = false

  async function runAll(): Promise<void> {
    running = true
    // Those asked in the same turn of the event loop go together.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max)
      waiting = waiting.slice(max)
      try {
        const answers = await doAll(batch.map(({ question }) => question))
        for (const [n, { resolve }] of batch.entries()) resolve(answers[n] as A)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return {
    do: (question) => {
      const { promise, resolve, reject } = Promise.withResolvers<A>()
      waiting.push({ question, resolve, reject })
      if (!running) void runAll()
      return promise
    },
  }
}
