import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import type { Stream } from './output.ts'
import { makeProgress } from './progress.ts'

function stream(terminal: { isTTY?: boolean; columns?: number }): { stream: Stream; written: string[] } {
  const written: string[] = []
  const made = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(String(chunk))
      done()
    },
  })
  return { stream: Object.assign(made, terminal), written }
}

const unitOf = (phase: string): 'bytes' | 'rows' => (phase === 'sending' ? 'bytes' : 'rows')

test('a bar shows percent, amount, rate and time left in one line of the terminal, and is removed at the end', () => {
  for (const [columns, expected] of [
    [80, 'applying   ███░░░   50%  1,500,000 of 3,000,000 rows  20,000/s  1 min 15 s left'],
    [120, 'applying   ███████████████░░░░░░░░░░░░░░░   50%  1,500,000 of 3,000,000 rows  20,000/s  1 min 15 s left'],
  ] as const) {
    const { stream: to, written } = stream({ isTTY: true, columns })
    let ms = 0
    const progress = makeProgress(to, unitOf, () => ms)
    progress.show('applying', 0, 3_000_000)
    ms = 75_000
    progress.show('applying', 1_500_000, 3_000_000)
    progress.show('applying', 1_500_001, 3_000_000) // Too early to be shown.
    progress.end()
    assert.equal(written.length, 3)
    assert.equal(written[1], `\r${expected}\u001B[K`)
    assert(expected.length < columns)
    assert.equal(written[2], '\r\u001B[K')
  }
})

test('without a terminal there is a line for each phase and every ten seconds, and no bar', () => {
  const { stream: to, written } = stream({})
  let ms = 0
  const progress = makeProgress(to, unitOf, () => ms)
  progress.show('sending', 0, 285_000_000)
  for (ms = 1_000; ms <= 10_000; ms += 1_000) progress.show('sending', ms * 10_000, 285_000_000)
  progress.show('checking', 0, 1_000)
  progress.show('receiving', 17, undefined)
  progress.end()
  assert.deepEqual(written, [
    'sending: 0%, 0 B of 285.0 MB\n',
    'sending: 35%, 100.0 MB of 285.0 MB, 10.0 MB/s, 19 s left\n',
    'checking: 0%, 0 of 1,000 rows\n',
    'receiving: 17 rows\n',
  ])
})
