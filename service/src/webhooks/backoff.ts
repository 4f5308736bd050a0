/** When a failed delivery is tried again: soon at first, then every six hours, until three days are over. */
const second = 1_000
const delaysMs = [5, 30, 120, 600, 3_600, 10_800].map((seconds) => seconds * second)
const lastDelayMs = 6 * 3_600 * second
const retryAfterMsMax = lastDelayMs // Whoever asks for a longer pause is asked again sooner.

/** `attempts` is how many have failed in a row, this one included. A tenth more or less keeps endpoints that failed together apart. */
export function delayAfter(attempts: number, retryAfter: string | undefined, now = Date.now()): number {
  const planned = (delaysMs[attempts - 1] ?? lastDelayMs) * (0.9 + Math.random() * 0.2)
  return Math.round(Math.max(planned, Math.min(asked(retryAfter, now), retryAfterMsMax)))
}

/** Seconds, or a date; nothing else counts. */
function asked(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * second
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : date - now
}
