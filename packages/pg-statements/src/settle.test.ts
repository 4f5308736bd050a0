import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle, UnexplainedRefusal } from './settle.ts'

const statement = { name: 'move-order' }

test('a refusal that can be explained is thrown, after one attempt', async () => {
  let attempts = 0
  const refused = settle(
    { deadline: () => Infinity },
    { statement, contended: 'order 1' },
    async () => void attempts++,
    async () => {
      throw new Error('not found')
    },
  )
  await assert.rejects(refused, /not found/)
  assert.equal(attempts, 1)
})

test('a statement that lost to a concurrent change is repeated until it happens', async () => {
  let attempts = 0
  const done = await settle(
    { deadline: () => Infinity },
    { statement, contended: 'order 2' },
    async () => (++attempts === 5 ? 'moved' : undefined),
    async () => undefined,
  )
  assert.deepEqual([done, attempts], ['moved', 5])
})

test('a statement that is refused without an explanation ends with its name instead of looping', async () => {
  let attempts = 0
  const looping = settle(
    { deadline: () => Infinity },
    { statement, contended: 'order 3' },
    async () => void attempts++,
    async () => undefined,
  )
  await assert.rejects(
    looping,
    (error) => error instanceof UnexplainedRefusal && error.message.startsWith('move-order '),
  )
  assert.equal(attempts, 100)
})

test('after the deadline the answer is busy', async () => {
  const late = settle(
    { deadline: () => -Infinity },
    { statement, contended: 'order 4' },
    async () => undefined,
    async () => undefined,
  )
  await assert.rejects(late, { name: 'DatabaseTrouble', kind: 'busy' })
})

test('repeats for the same thing take turns, others do not wait for them', async () => {
  let running = 0
  let most = 0
  let first = true
  const contend = (contended: string) => {
    let attempts = 0
    return settle(
      { deadline: () => Infinity },
      { statement, contended },
      async () => {
        if (attempts++ === 0) return undefined
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, first ? 20 : 1))
        first = false
        running--
        return true
      },
      async () => undefined,
    )
  }
  await Promise.all(Array.from({ length: 20 }, () => contend('order 5')))
  assert.equal(most, 1)
})
