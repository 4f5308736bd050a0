/** When a failed delivery is retried: soon at first, then every six hours. After three days the endpoint is paused (record-failure.sql). */
const second = 1_000
const delaysMs = [5, 30, 120, 600, 3_600, 10_800].map((seconds) => seconds * second)
const lastDelayMs = 6 * 3_600 * second
const retryAfterMsMax = lastDelayMs // A longer Retry-After is cut to this.

/** `attempts` counts consecutive failures, including this one. Jitter of 10% spreads endpoints that failed together. */
export function delayAfter(attempts: number, retryAfter: string | undefined, now = Date.now()): number {
  const planned = (delaysMs[attempts - 1] ?? lastDelayMs) * (0.9 + Math.random() * 0.2)
  return Math.round(Math.max(planned, Math.min(requestedDelay(retryAfter, now), retryAfterMsMax)))
}

/** From seconds or a date; anything else is ignored. */
function requestedDelay(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * second
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : date - now
}
