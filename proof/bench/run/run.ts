/** A run: starts a service on the database and measures one operation after the other. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journey, measure, measureJourney, type Measurement, type MeasureSettings } from './measure.ts'
import type { Bench } from './operation.ts'
import { hotGoods, operations } from './operations.ts'
import { clientsOf, closeBench, openBench } from './prepare.ts'
import { resultOf, type FullResult } from './report.ts'
import { introduce, startServiceProcess } from './service-process.ts'
import { writeKeys } from './wrk.ts'
import { WrongUse } from '../subcommand.ts'

export interface RunPlan {
  readonly only: readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly half: boolean
  readonly rate?: number
  /** The service's priority: 0 as usual, -20 the highest. */
  readonly nice?: number
  readonly show: (result: FullResult) => void
}

const introducedForMs = 40_000 // The service forgets a key that was not used for a minute.

export async function runBench(url: string, { only, nice, show, ...settings }: RunPlan): Promise<FullResult[]> {
  refuseUnknownOperations(only)
  const folder = mkdtempSync(join(tmpdir(), 'parts-bench-'))
  const bench = await openBench(url)
  const service = await startServiceProcess(url, {}, nice)
  try {
    writeKeys(folder, bench.sizes.clients)
    const results: FullResult[] = []
    let introducedAt = -Infinity
    for (const name of only) {
      if (performance.now() - introducedAt > introducedForMs) {
        await introduce(service.address, clientsOf(bench))
        introducedAt = performance.now()
      }
      const result = resultOf(name, await measureOne(bench, name, { ...settings, folder, service }))
      show(result)
      results.push(result)
    }
    return results
  } finally {
    await service.stop()
    await closeBench(bench)
    rmSync(folder, { recursive: true })
  }
}

export const operationNames: readonly string[] = [...operations.map(({ name }) => name), journey]

export const hotOperationNames: readonly string[] = hotGoods.map(({ name }) => name)

/** Checked before a database is loaded, which takes minutes. */
export function refuseUnknownOperations(
  names: readonly string[],
  known: readonly string[] = [...operationNames, ...hotOperationNames],
): void {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new WrongUse(`There is no operation '${unknown.join("', '")}'; there are ${known.join(', ')}.`)
}

function measureOne(bench: Bench, name: string, settings: MeasureSettings): Promise<Measurement> {
  const operation = [...operations, ...hotGoods].find((one) => one.name === name)
  return operation === undefined ? measureJourney(bench, settings) : measure(bench, operation, settings)
}
