import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Round } from './measure.ts'
import { latenciesOf, median, percentages } from './figures.ts'
import { plotTails } from './plots.ts'
import { hotLine, plain, resultOf } from './report.ts'
import { forLua, forPgbench } from './translate.ts'
import { faultsOf, type LoadOutcome, type Overload } from '../workloads/overload.ts'
import { slowOperations } from '../workloads/smoke.ts'

const round = (bare: number, service: number): Round => ({
  bare,
  service,
  p50_ms: 1,
  p99_ms: 2,
  cpu: { bare_postgres: 100, postgres: 100, service: 50, load: 10 },
})

test('only an operation whose best round is below 0.6 of the recorded share of CPU time is reported', () => {
  const costing = (service: number): Round => ({
    ...round(1000, 500),
    cpu: { bare_postgres: 100, postgres: 100, service, load: 10 },
  })
  const recorded = { cheap: 0.5, dear: 0.5 }
  const cheap = { operation: 'cheap', rounds: [costing(900), costing(220), costing(400)] } // At best 0.31.
  const dear = { operation: 'dear', rounds: [costing(900), costing(260), costing(400)] } // At best 0.28.
  assert.deepEqual(slowOperations([cheap, dear], recorded), [
    'dear is too expensive: the statement is 0.28 of its CPU time, 0.5 recorded.\n',
  ])
})

test('an operation that was never recorded is reported', () => {
  assert.equal(slowOperations([{ operation: 'new', rounds: [round(1, 1)] }], {}).length, 1)
})

test('a result is the median of its rounds, and its ratio the median of their ratios', () => {
  const { bare, service, ratio } = resultOf('one', { rounds: [round(100, 90), round(200, 100), round(400, 100)] })
  assert.deepEqual({ bare, service, ratio }, { bare: 200, service: 100, ratio: 0.5 })
  assert.equal(median([4, 1, 3, 2]), 2.5)
})

test('orders of the same items are compared with orders of any items', () => {
  const any = resultOf('place-order-1', { rounds: [round(1000, 800)] })
  const same = resultOf('place-order-1-hot', { rounds: [round(500, 600)] })
  const lines = [any, same].map((result) => hotLine(result, [any, same]))
  assert.deepEqual(lines, ['', 'place-order-1-hot: 0.50 of place-order-1 bare, 0.75 through the service\n'])
})

test('a row of --json has the p99 at half of the peak, or bare at the given rate, only if it was measured; the picture shows both', () => {
  const latencies = latenciesOf(percentages.map((percentage) => percentage / 10))
  assert.deepEqual([latencies.p50_ms, latencies.p99_ms], [5, 9.9])
  const bare = { p50_ms: 2, p99_ms: 4, percentiles_ms: percentages.map(() => 2) }
  const paced = { perSecond: 50, service: latencies, bare }
  const measured = resultOf('one', { rounds: [round(100, 90)], paced })
  const row = plain(measured, 'half')
  assert.deepEqual([row.half_p99_ms, row.half_bare_p99_ms], [9.9, 4])
  const atRate = plain(measured, 'rate')
  assert.deepEqual([atRate.bare_p99_ms, 'half_p99_ms' in atRate], [4, false])
  assert.deepEqual(['half_p99_ms' in plain(measured), 'bare_p99_ms' in plain(measured)], [false, false])
  const journey = resultOf('journey', { rounds: [round(100, 90)] })
  assert.equal(plain(journey, 'half').half_p99_ms, null)
  const picture = plotTails([measured, journey], 'parts_bench_10k', 'half of the peak rate')
  assert.deepEqual([picture.match(/<polyline/g)?.length, picture.match(/<g /g)?.length], [2, 1])
})

test('the arithmetic of an operation is translated to the same meaning for pgbench and wrk', () => {
  assert.equal(forPgbench('ten', 'place // 10 + random(1, last)'), '\\set ten :place / 10 + random(1, :last)')
  assert.equal(forLua('ten', 'place // 10 + random(1, last)'), 'local ten = floor(place / 10) + random(1, last)')
})

test('a run under overload reports each expectation that failed, and nothing if all hold', () => {
  const rate = (perSecond: number, refused = 0): LoadOutcome => ({
    perSecond,
    refused,
    requested: perSecond / (1 - refused),
    clientCpu: 0.1,
  })
  const half = { orders: rate(500), lists: rate(1500) }
  const good: Overload = {
    peak: { orders: rate(1000), lists: rate(3000) },
    before: half,
    during: { orders: rate(950, 0.36), lists: rate(45, 0.99), retryAfter: ['2'] },
    after: half,
  }
  assert.deepEqual(faultsOf(good), [])
  const bad: Overload = {
    peak: good.peak,
    before: { orders: rate(500), lists: rate(1500, 0.02) },
    during: { orders: rate(800, 0.1), lists: rate(3000), retryAfter: [] },
    after: { orders: rate(500), lists: rate(1000, 0.3) },
  }
  assert.equal(faultsOf(bad).length, 8)
})
