import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayAfter } from './backoff.ts'

const now = Date.parse('2026-11-15T09:30:00Z')
const many = (attempts: number, retryAfter?: string): number[] =>
  Array.from({ length: 500 }, () => delayAfter(attempts, retryAfter, now))

test('5 and 30 seconds, 2 and 10 minutes, 1 and 3 hours, then every 6 hours: each up to a tenth more or less', () => {
  const seconds = [5, 30, 120, 600, 3_600, 10_800, 21_600, 21_600, 21_600]
  for (const [n, planned] of seconds.entries()) {
    const delays = many(n + 1)
    const [least, most] = [Math.min(...delays) / 1_000, Math.max(...delays) / 1_000]
    assert(least >= planned * 0.9 && most <= planned * 1.1, `${n + 1}: ${least} to ${most}`)
    assert(most - least > planned * 0.1, `${n + 1}: hardly apart, ${least} to ${most}`)
  }
})

test('Retry-After is honoured in seconds and as a date, when it asks for more than is planned, and for six hours at most', () => {
  assert.deepEqual(new Set(many(1, '1800')), new Set([1_800_000]))
  assert.deepEqual(new Set(many(1, 'Sun, 15 Nov 2026 10:00:00 GMT')), new Set([1_800_000]))
  assert.deepEqual(new Set(many(1, '999999999')), new Set([21_600_000]))
  assert.deepEqual(new Set(many(1, 'Mon, 15 Nov 2027 10:00:00 GMT')), new Set([21_600_000]))
})

test('a Retry-After that asks for less, lies in the past or is nonsense changes nothing', () => {
  for (const asked of ['0', '1', 'Sun, 15 Nov 2026 09:00:00 GMT', 'soon', '', '-5', '1e9', '9999999999'])
    for (const delay of many(2, asked)) assert(delay >= 27_000 && delay <= 33_000, `${asked}: ${delay}`)
})
