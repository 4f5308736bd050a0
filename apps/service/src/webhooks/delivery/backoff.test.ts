import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayAfter } from './backoff.ts'

const now = Date.parse('2026-11-15T09:30:00Z')
const many = (attempts: number, retryAfter?: string): number[] =>
  Array.from({ length: 500 }, () => delayAfter(attempts, retryAfter, now))

test('retries follow after 5 s, 30 s, 2 min, 10 min, 1 h, 3 h, then every 6 h, each with 10% jitter', () => {
  const seconds = [5, 30, 120, 600, 3_600, 10_800, 21_600, 21_600, 21_600]
  for (const [n, planned] of seconds.entries()) {
    const delays = many(n + 1)
    const [least, most] = [Math.min(...delays) / 1_000, Math.max(...delays) / 1_000]
    assert(least >= planned * 0.9 && most <= planned * 1.1, `${n + 1}: ${least} to ${most}`)
    assert(most - least > planned * 0.1, `${n + 1}: too little jitter, ${least} to ${most}`)
  }
})

test('a Retry-After longer than planned is honoured, in seconds or as a date, up to six hours', () => {
  assert.deepEqual(new Set(many(1, '1800')), new Set([1_800_000]))
  assert.deepEqual(new Set(many(1, 'Sun, 15 Nov 2026 10:00:00 GMT')), new Set([1_800_000]))
  assert.deepEqual(new Set(many(1, '999999999')), new Set([21_600_000]))
  assert.deepEqual(new Set(many(1, 'Mon, 15 Nov 2027 10:00:00 GMT')), new Set([21_600_000]))
})

test('a Retry-After that is shorter, in the past or invalid changes nothing', () => {
  for (const retryAfter of ['0', '1', 'Sun, 15 Nov 2026 09:00:00 GMT', 'soon', '', '-5', '1e9', '9999999999'])
    for (const delay of many(2, retryAfter)) assert(delay >= 27_000 && delay <= 33_000, `${retryAfter}: ${delay}`)
})
