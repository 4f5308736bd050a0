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

interface GrowthSettings {
  readonly only: readonly string[]
  readonly rounds: number
  readonly seconds: number
}

export async function measureGrowth(
  orders: readonly string[],
  settings: GrowthSettings,
  show: (line: string) => void,
): Promise<Growth[]> {
  const urls = new Map<string, string>()
  for (const size of orders) {
    const { name, sizes } = sizeOf(size)
    const url = databaseUrl(name)
    await loadIfAbsent(url, sizes)
    urls.set(size, url)
  }
  show(row('operation', [...orders.map((size) => Number(size).toLocaleString('en')), 'growth']))
  return compareDatabases(urls, settings, (operation, costs) => {
    const result = resultOf(operation, costs)
    show(row(result.operation, [...Object.values(result.postgres_us), result.growth.toFixed(2)]))
    return result
  })
}

/** The PostgreSQL CPU time of each operation in each round, by the name of the database. */
export type Costs = ReadonlyMap<string, readonly number[]>

/** Measures each operation in each database by turns. `handle` gets the result of an operation as soon as it is known. */
export async function compareDatabases<R>(
  urls: ReadonlyMap<string, string>,
  { only, rounds, seconds }: GrowthSettings,
  handle: (operation: string, costs: Costs) => R,
): Promise<R[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-bench-'))
  const benches = new Map<string, Bench>()
  try {
    for (const [name, url] of urls) benches.set(name, await openBench(url, activeClients))
    const results: R[] = []
    for (const operation of operations.filter(({ name }) => only.includes(name))) {
      const sides = [...benches].map(([name, bench]) => ({ name, bare: bareSide(bench, operation, folder) }))
      const costs = new Map<string, number[]>(sides.map(({ name }) => [name, []]))
      for (const { bare } of sides) await bare(warmUpSeconds)
      for (let round = 0; round < rounds; round++)
        for (const { name, bare } of sides) costs.get(name)?.push(cpuOf(await bare(seconds)).postgres)
      results.push(handle(operation.name, costs))
    }
    return results
  } finally {
    for (const bench of benches.values()) await closeBench(bench)
    rmSync(folder, { recursive: true })
  }
}

function resultOf(operation: string, costs: Costs): Growth {
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
