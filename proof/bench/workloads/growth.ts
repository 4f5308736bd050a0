import { median } from '../run/figures.ts'
import { bareSide, cpuOf } from '../run/measure.ts'
import { chosenOperations, operations } from '../run/operations.ts'
import { openBench, prepareDatabase } from '../run/prepare.ts'
import { integer, maybeInteger, names, word, workload } from '../workload.ts'

/** As many as the smallest size has, so that the same amount of data is touched at each size and fits into memory. */
const activeClients = 100
const warmUpSeconds = 2 // Longer than for `run`: the pages that the operation touches must be in memory at any size.

export default workload({
  options: {
    sizes: word('10000,1000000', 'A,B', 'numbers of orders, smallest first'),
    only: names('measure only these operations (default: all)'),
    rounds: integer(5, 'rounds; the result is their median'),
    seconds: maybeInteger('seconds per measurement (default: 5, with --json 2)'),
  },
  notes: [
    'Only pgbench is used, and the sizes alternate, so that noise affects all of them equally. The last column is the CPU time at the largest size divided by that at the smallest.',
    'Needs pgbench. Two sizes take about 15 minutes, plus loading.',
  ],
  examples: ['growth --sizes 10000,1000000,10000000', 'growth --only read-order,place-order-5'],
  run: async ({ sizes, only, rounds, seconds: given }, { show, json }) => {
    const chosen = chosenOperations(only, operations)
    const seconds = given ?? (json ? 2 : 5)
    const row = (name: string, cells: readonly (string | number)[]): void =>
      show(`${name.padEnd(20)}${cells.map((cell) => cell.toLocaleString('en').padStart(12)).join('')}\n`)
    await using opened = new AsyncDisposableStack()
    const benches = []
    for (const size of sizes.split(',')) {
      const bench = opened.use(await openBench(await prepareDatabase({ size }), activeClients))
      benches.push({ size, bench })
    }
    row('operation', [...benches.map(({ size }) => Number(size).toLocaleString('en')), 'growth'])
    const results = []
    for (const operation of chosen) {
      const sides = benches.map(({ size, bench }) => ({
        size,
        bare: bareSide(bench, operation),
        costs: [] as number[],
      }))
      for (const { bare } of sides) await bare(warmUpSeconds)
      for (let round = 0; round < rounds; round++)
        for (const { bare, costs } of sides) costs.push(cpuOf(await bare(seconds)).postgres)
      const [smallest, largest] = [sides[0]?.costs ?? [], sides.at(-1)?.costs ?? []]
      const growth = median(largest.map((cost, n) => cost / (smallest[n] ?? 1)))
      const medians = sides.map(({ size, costs }) => [size, median(costs)] as const)
      row(operation.name, [...medians.map(([, cost]) => cost), growth.toFixed(2)])
      results.push({ operation: operation.name, postgres_us: Object.fromEntries(medians), growth })
    }
    return { results }
  },
})
