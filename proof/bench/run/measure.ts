/** Measures operations, alternating between bare and through the service, so that noise affects both sides. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { watchCpu, type Cpu } from './cpu.ts'
import { runJourneys } from './journey.ts'
import type { Bench, Material, Operation } from './operation.ts'
import { latenciesOf, percentages, type Latencies } from './latencies.ts'
import { NothingMeasured, planningSeconds, runPgbench, type Throughput } from './pgbench.ts'
import type { StartedProgram } from './program.ts'
import type { ServiceProcess } from './service-process.ts'
import { median } from './median.ts'
import { runWrk, type Pace, type ServiceRate } from './wrk.ts'

export interface Round {
  /** Operations per second; a journey has no bare side. */
  readonly bare?: number
  readonly service: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** CPU microseconds per operation. */
  readonly cpu: {
    readonly barePostgres?: number
    readonly postgres: number
    readonly service: number
    readonly load: number
  }
}

/** Latencies at a rate below the peak, through the service and bare. The bare ones show the share of the machine. */
export interface Paced {
  readonly perSecond: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly bare_p50_ms: number
  readonly bare_p99_ms: number
  /** In the order of `percentages`. */
  readonly percentiles_ms: readonly number[]
  readonly bare_percentiles_ms: readonly number[]
}

export interface Measurement {
  readonly rounds: readonly Round[]
  readonly paced?: Paced
}

export interface MeasureSettings {
  readonly rounds: number
  readonly seconds: number
  /** Whether latencies at half of the peak rate are measured, too, which doubles the duration. */
  readonly half: boolean
  /** Everything is measured at this rate, on both sides, instead of at the peak. */
  readonly rate?: number
  readonly folder: string
  readonly service: ServiceProcess
}

export const journey = 'journey'
const warmUpSeconds = 1 // Until code is compiled, keys are cached and pages are in memory.
const standstillsMax = 2

export async function measure(bench: Bench, operation: Operation, settings: MeasureSettings): Promise<Measurement> {
  const { rounds, seconds } = settings
  const sides = { bare: bareSide(bench, operation, settings.folder), through: serviceSide(bench, operation, settings) }
  const { bare, through } = sides

  await through(warmUpSeconds)
  if (settings.rate !== undefined) return measurePaced(settings, { bare: settings.rate, service: settings.rate }, sides)
  const measured: Round[] = []
  while (measured.length < rounds) measured.push(roundOf(await bare(seconds), await through(seconds)))
  if (!settings.half) return { rounds: measured }
  const halves = {
    bare: Math.ceil(median(measured.map((round) => round.bare ?? 0)) / 2),
    service: median(measured.map(({ service }) => service)) / 2,
  }
  const { paced } = await measurePaced(settings, halves, sides)
  return { rounds: measured, paced }
}

function roundOf(bare: Measured<Throughput>, through: Measured<ServiceRate>): Round {
  return {
    bare: bare.perSecond,
    service: through.perSecond,
    p50_ms: through.rate.p50Ms,
    p99_ms: through.rate.p99Ms,
    cpu: { ...cpuOf(through), barePostgres: cpuOf(bare).postgres },
  }
}

/** Returns a function that measures the operation through the service. */
export function serviceSide(
  bench: Bench,
  operation: Operation,
  { folder, service }: Pick<MeasureSettings, 'folder' | 'service'>,
): (seconds: number, paced?: Pace) => Promise<Measured<ServiceRate>> {
  const guess: Guess = { perSecond: operation.supply?.perSecond ?? 0 }
  return (seconds, paced) =>
    measureSide(bench, operation, seconds, guess, service.pid, (material, started) =>
      runWrk(bench, operation, material, {
        folder,
        address: service.address,
        seconds,
        started,
        ...(paced && { paced }),
      }),
    )
}

/** Returns a function that measures the operation bare. */
export function bareSide(
  bench: Bench,
  operation: Operation,
  folder: string,
): (seconds: number, paced?: number) => Promise<Measured<Throughput & Latencies>> {
  const guess: Guess = { perSecond: operation.supply?.perSecond ?? 0 }
  return (seconds, perSecond) =>
    measureSide(bench, operation, seconds, guess, undefined, (material, started) =>
      runPgbench(bench, operation, material, {
        seconds,
        folder,
        started,
        ...(perSecond !== undefined && { perSecond }),
      }),
    )
}

/** Measures both sides by turns, each at its rate. */
async function measurePaced(
  { rounds, seconds }: MeasureSettings,
  perSecond: { readonly bare: number; readonly service: number },
  sides: { readonly bare: ReturnType<typeof bareSide>; readonly through: ReturnType<typeof serviceSide> },
): Promise<{ rounds: Round[]; paced: Paced }> {
  const first = await sides.through(seconds, { perSecond: perSecond.service, latencyMs: 0 })
  const pace = { perSecond: perSecond.service, latencyMs: first.rate.p50Ms } // Pauses are shorter by the latency.
  const measured: Round[] = []
  const latencies: { bare: Latencies; through: Latencies }[] = []
  while (measured.length < rounds) {
    const [bare, through] = [await sides.bare(seconds, perSecond.bare), await sides.through(seconds, pace)]
    measured.push(roundOf(bare, through))
    latencies.push({ bare: bare.rate, through: through.rate })
  }
  const rounded = (numbers: readonly number[]): number => Number(median(numbers).toFixed(2))
  const medians = (side: readonly Latencies[]): Latencies =>
    latenciesOf(percentages.map((_, n) => rounded(side.map(({ percentilesMs }) => percentilesMs[n] ?? 0))))
  const [bare, through] = [medians(latencies.map((one) => one.bare)), medians(latencies.map((one) => one.through))]
  const paced = {
    perSecond: rounded(measured.map(({ service }) => service)),
    p50_ms: through.p50Ms,
    p99_ms: through.p99Ms,
    bare_p50_ms: bare.p50Ms,
    bare_p99_ms: bare.p99Ms,
    percentiles_ms: through.percentilesMs,
    bare_percentiles_ms: bare.percentilesMs,
  }
  return { rounds: measured, paced }
}

export async function measureJourney(
  bench: Bench,
  { rounds, seconds, folder, service }: MeasureSettings,
): Promise<Measurement> {
  const once = (time: number): Promise<Measured<ServiceRate>> =>
    watched(bench, time, service.pid, (started) =>
      runJourneys(bench, { folder, address: service.address, seconds: time, started }),
    )
  await once(warmUpSeconds)
  const measured: Round[] = []
  while (measured.length < rounds) {
    const one = await once(seconds)
    measured.push({ service: one.perSecond, p50_ms: one.rate.p50Ms, p99_ms: one.rate.p99Ms, cpu: cpuOf(one) })
  }
  return { rounds: measured }
}

interface Measured<R> {
  readonly rate: R
  readonly perSecond: number
  readonly cpu: Cpu
}

/** Operations per second to provide material for. */
interface Guess {
  perSecond: number
}

async function measureSide<R extends Throughput & { failed?: number }>(
  bench: Bench,
  operation: Operation,
  seconds: number,
  guess: Guess,
  servicePid: number | undefined,
  run: (material: Material | undefined, started: (load: StartedProgram) => void) => Promise<R>,
): Promise<Measured<R>> {
  for (let standstills = 0; ;) {
    const material = await operation.supply?.make(bench, Math.ceil(guess.perSecond * (seconds + planningSeconds)))
    const measured = await watched(bench, seconds, servicePid, (started) => run(material, started)).catch(
      async (error: unknown) => {
        await material?.clear()
        if (error instanceof NothingMeasured && standstills++ < standstillsMax) return undefined
        throw error
      },
    )
    if (measured === undefined) continue
    const { completed, perSecond, failed = 0 } = measured.rate
    const effects = (await material?.effects?.()) ?? completed
    await material?.clear()
    const tooFewEffects = effects < completed * 0.98
    // pgbench's workers are not equally fast: one may have used up its share long before the others.
    if (
      material !== undefined &&
      (completed > material.enoughFor || (tooFewEffects && completed > material.enoughFor / 4))
    ) {
      guess.perSecond *= 2 // Operations after the last piece did nothing: measure again with more material.
      continue
    }
    if (failed > 0) throw new Error(`${operation.name}: ${failed} of ${completed} requests failed.`)
    if (tooFewEffects)
      throw new Error(`${operation.name}: ${completed} responses, but only ${effects} effects in the database.`)
    guess.perSecond = Math.ceil(perSecond * 2)
    return { ...measured, perSecond: perSecond * Math.min(1, effects / completed) }
  }
}

async function watched<R extends Throughput>(
  { session }: Bench,
  seconds: number,
  servicePid: number | undefined,
  run: (started: (load: StartedProgram) => void) => Promise<R>,
): Promise<Measured<R>> {
  let watching: Promise<Cpu> = Promise.resolve({ postgres: 0, service: 0, load: 0 })
  const running = run(({ pid }) => {
    const planning = servicePid === undefined ? planningSeconds : 0
    watching = watchCpu(
      session,
      { after: planning, seconds },
      { load: pid, ...(servicePid !== undefined && { service: servicePid }) },
    )
  })
  const [rate, cpu] = [await running.finally(() => watching), await watching] // The watcher uses the session.
  await untilIdle(session)
  return { rate, perSecond: rate.perSecond, cpu }
}

/** Waits until the service has finished its requests in flight: no active statement ten times in a row. */
async function untilIdle(session: Client): Promise<void> {
  for (let idle = 0; idle < 10;) {
    const { rowCount } = await session.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and state = 'active' and backend_type = 'client backend'
         and pid <> pg_backend_pid()`,
    )
    idle = rowCount === 0 ? idle + 1 : 0
    await sleep(10)
  }
}

/** CPU microseconds per operation. */
export function cpuOf({ perSecond, cpu }: Measured<Throughput>): { postgres: number; service: number; load: number } {
  const micros = (seconds: number): number => Math.round((seconds / perSecond) * 1e6)
  return { postgres: micros(cpu.postgres), service: micros(cpu.service), load: micros(cpu.load) }
}
