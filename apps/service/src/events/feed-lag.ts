import { Histogram } from 'prom-client'

const lagSeconds = new Histogram({
  name: 'parts_feed_lag_seconds',
  help: "Time from an event to the answer to a reader that was waiting for it, in a client's own feed (client) and in the feed of all clients (operator).",
  labelNames: ['feed'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60], // 5 is the objective.
})

/** Only for events that arrived while the reader waited: one that reads on after a pause is late on its own account. */
export function observeLag(feed: 'client' | 'operator', times: readonly number[]): void {
  for (const at of times) lagSeconds.observe({ feed }, Math.max(0, Date.now() - at) / 1000)
}
