/** PostgreSQL CPU time per operation, bare. The sizes alternate, so that noise affects all of them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUrl } from '../load/databases.ts'
import { bareSide, cpuOf } from './measure.ts'
import { median } from './median.ts'
import type { Bench } from './operation.ts'
import { operations } from './operations.ts'
import { closeBench, loadIfAbsent, openBench, sizeOf } from './prepare.ts'

export interface Growth {
  readonly operation: string
  /** PostgreSQL CPU time per operation in microseconds, by number of orders: medians. */
  readonly postgres_us: Readonly<Record<string, number>>
  /** The largest size divided by the smallest: the median over the rounds. */
  readonly growth: number
}

/** As many as the smallest size has, so that the same amount of data is touched at each size and fits into memory. */
const activeClients = 100
const warmUpSeconds = 2 // Longer than for `run`: the pages that the operation touches must be in memory at any size.

export async function measureGrowth(
  orders: readonly string[],
  { only, rounds, seconds }: { only: readonly string[]; rounds: number; seconds: number },
  show: (line: string) => void,
): Promise<Growth[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-bench-'))
  const benches = new Map<string, Bench>()
  try {
    for (const size of orders) {
      const { name, sizes } = sizeOf(size)
      const url = databaseUrl(name)
      await loadIfAbsent(url, sizes)
      benches.set(size, await openBench(url, activeClients))
    }
    const results: Growth[] = []
    show(row('operation', [...orders.map((size) => Number(size).toLocaleString('en')), 'growth']))
    for (const operation of operations.filter(({ name }) => only.includes(name))) {
      const sides = [...benches].map(([size, bench]) => ({ size, bare: bareSide(bench, operation, folder) }))
      const costs = new Map<string, number[]>(orders.map((size) => [size, []]))
      for (const { bare } of sides) await bare(warmUpSeconds)
      for (let round = 0; round < rounds; round++)
        for (const { size, bare } of sides) costs.get(size)?.push(cpuOf(await bare(seconds)).postgres)
      const result = resultOf(operation.name, costs)
      show(row(result.operation, [...Object.values(result.postgres_us), result.growth.toFixed(2)]))
      results.push(result)
    }
    return results
  } finally {
    for (const bench of benches.values()) await closeBench(bench)
    rmSync(folder, { recursive: true })
  }
}

function resultOf(operation: string, costs: ReadonlyMap<string, readonly number[]>): Growth {
  const all = [...costs.values()]
  const quotients = (all.at(-1) ?? []).map((cost, round) => cost / (all[0]?.[round] ?? 1))
  return {
    operation,
    postgres_us: Object.fromEntries([...costs].map(([size, values]) => [size, median(values)])),
    growth: median(quotients),
  }
}

const row = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(20)}${cells.map((cell) => cell.toLocaleString('en').padStart(12)).join('')}\n`
