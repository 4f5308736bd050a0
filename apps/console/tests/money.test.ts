/** Sums on the screen are exact. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineAmount, sumOf } from '../src/money.ts'

test('a line is its price times its quantity, rounded half up to cents', () => {
  const of = (order_item_price: number, order_item_quantity: number) =>
    lineAmount({ order_item_price, order_item_quantity })
  assert.deepEqual([of(1.005, 1), of(1.115, 3), of(0.0049, 1), of(0.005, 1)], [1.01, 3.35, 0, 0.01])
  assert.equal(of(104.17, 4), 416.68)
  assert.equal(of(99_999_999.9999, 1_000_000), 99_999_999_999_900)
  // Every price with 4 digits after the point is the whole number that it stands for.
  for (let n = 1; n < 100_000; n += 7) assert.equal(of(n / 10_000, 100), n / 100)
})

test('amounts are added without the errors of decimal fractions', () => {
  assert.equal(sumOf([0.1, 0.2]), 0.3)
  assert.equal(sumOf([104.17, -104.17, 0.001]), 0.001)
  assert.equal(sumOf(Array.from({ length: 1_000 }, () => 0.1)), 100)
  assert.equal(sumOf([]), 0)
})
