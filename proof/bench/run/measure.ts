/** Measures operations, alternating between bare and through the service, so that noise affects both sides. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { watchCpu, type Cpu } from './cpu.ts'
import { latenciesOf, median, percentages, rounded, type Latencies } from './figures.ts'
import { runJourneys } from './journey.ts'
import type { Bench, Material, Operation } from './operation.ts'
import { NothingMeasured, planningSeconds, runPgbench, type Throughput } from './pgbench.ts'
import type { BenchWithService } from './prepare.ts'
import type { StartedProgram } from './program.ts'
import { runWrk, type Pace, type ServiceRate } from './wrk.ts'

export interface Round {
  /** Operations per second; a journey has no bare side. */
  readonly bare?: number
  readonly service: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** CPU microseconds per operation. */
  readonly cpu: CpuMicros & { readonly bare_postgres?: number }
}

type CpuMicros = Readonly<Record<keyof Cpu, number>>

/** Latencies at a rate below the peak, through the service and bare. The bare ones show the share of the machine. */
export interface Paced {
  readonly perSecond: number
  readonly service: Latencies
  readonly bare: Latencies
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
  readonly rate?: number | undefined
}

const warmUpSeconds = 1 // Until code is compiled, keys are cached and pages are in memory.
const standstillsMax = 2

export async function measure(
  at: BenchWithService,
  operation: Operation,
  settings: MeasureSettings,
): Promise<Measurement> {
  const { rounds, seconds, rate, half } = settings
  const sides = { bare: bareSide(at.bench, operation), through: serviceSide(at, operation) }
  await sides.through(warmUpSeconds)
  if (rate !== undefined) return measurePaced(settings, { bare: rate, service: rate }, sides)
  const measured: Round[] = []
  while (measured.length < rounds) measured.push(roundOf(await sides.bare(seconds), await sides.through(seconds)))
  if (!half) return { rounds: measured }
  const halves = {
    bare: Math.ceil(median(measured.map((round) => round.bare ?? 0)) / 2),
    service: median(measured.map(({ service }) => service)) / 2,
  }
  const { paced } = await measurePaced(settings, halves, sides)
  return { rounds: measured, paced }
}

const roundOf = (bare: Measured<Throughput> | undefined, through: Measured<ServiceRate>): Round => ({
  ...(bare && { bare: bare.perSecond }),
  service: through.perSecond,
  p50_ms: through.rate.p50_ms,
  p99_ms: through.rate.p99_ms,
  cpu: { ...cpuOf(through), ...(bare && { bare_postgres: cpuOf(bare).postgres }) },
})

type Side<R, P> = (seconds: number, pace?: P) => Promise<Measured<R>>

/** Measures the operation through the service. */
export function serviceSide(at: BenchWithService, operation: Operation): Side<ServiceRate, Pace> {
  const { bench, service } = at
  const measured = measureSide<ServiceRate>(bench, operation, service.pid)
  return (seconds, paced) =>
    measured(seconds, (material, started) =>
      runWrk(bench, operation, material, { address: service.address, seconds, started, paced }),
    )
}

/** Measures the operation bare. */
export function bareSide(bench: Bench, operation: Operation): Side<Throughput & Latencies, number> {
  const measured = measureSide<Throughput & Latencies>(bench, operation)
  return (seconds, perSecond) =>
    measured(seconds, (material, started) => runPgbench(bench, operation, material, { seconds, started, perSecond }))
}

/** Measures both sides by turns, each at its rate. */
async function measurePaced(
  { rounds, seconds }: MeasureSettings,
  perSecond: { readonly bare: number; readonly service: number },
  sides: { readonly bare: ReturnType<typeof bareSide>; readonly through: ReturnType<typeof serviceSide> },
): Promise<{ rounds: Round[]; paced: Paced }> {
  const first = await sides.through(seconds, { perSecond: perSecond.service, latencyMs: 0 })
  const pace = { perSecond: perSecond.service, latencyMs: first.rate.p50_ms } // Pauses are shorter by the latency.
  const measured: Round[] = []
  const latencies: { bare: Latencies; service: Latencies }[] = []
  while (measured.length < rounds) {
    const [bare, through] = [await sides.bare(seconds, perSecond.bare), await sides.through(seconds, pace)]
    measured.push(roundOf(bare, through))
    latencies.push({ bare: bare.rate, service: through.rate })
  }
  const medianOf = (numbers: readonly number[]): number => rounded(median(numbers), 2)
  const medians = (side: 'bare' | 'service'): Latencies =>
    latenciesOf(percentages.map((_, n) => medianOf(latencies.map((one) => one[side].percentiles_ms[n] ?? 0))))
  const paced = { service: medians('service'), bare: medians('bare') }
  return { rounds: measured, paced: { perSecond: medianOf(measured.map(({ service }) => service)), ...paced } }
}

export async function measureJourney(
  { bench, service }: BenchWithService,
  { rounds, seconds }: MeasureSettings,
): Promise<Measurement> {
  const once = (time: number): Promise<Measured<ServiceRate>> =>
    watched(bench, time, service.pid, (started) =>
      runJourneys(bench, { address: service.address, seconds: time, started }),
    )
  await once(warmUpSeconds)
  const measured: Round[] = []
  while (measured.length < rounds) measured.push(roundOf(undefined, await once(seconds)))
  return { rounds: measured }
}

interface Measured<R> {
  readonly rate: R
  readonly perSecond: number
  readonly cpu: Cpu
}

type Run<R> = (material: Material | undefined, started: (load: StartedProgram) => void) => Promise<R>

/** With as much material as the measurement before has shown to be needed, or with more until it suffices. */
function measureSide<R extends Throughput & { failed?: number }>(
  bench: Bench,
  { name, supply }: Operation,
  servicePid?: number,
): (seconds: number, run: Run<R>) => Promise<Measured<R>> {
  let guessPerSecond = supply?.perSecond ?? 0
  return async (seconds, run) => {
    for (let standstills = 0; ;) {
      const material = await supply?.make(bench, Math.ceil(guessPerSecond * (seconds + planningSeconds)))
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
      const { enoughFor = Infinity } = material ?? {}
      // pgbench's workers are not equally fast: one may have used up its share long before the others.
      if (completed > enoughFor || (tooFewEffects && completed > enoughFor / 4)) {
        guessPerSecond *= 2 // Operations after the last piece did nothing: measure again with more material.
        continue
      }
      if (failed > 0) throw new Error(`${name}: ${failed} of ${completed} requests failed.`)
      if (tooFewEffects)
        throw new Error(`${name}: ${completed} responses, but only ${effects} effects in the database.`)
      guessPerSecond = Math.ceil(perSecond * 2)
      return { ...measured, perSecond: perSecond * Math.min(1, effects / completed) }
    }
  }
}

async function watched<R extends Throughput>(
  { session }: Bench,
  seconds: number,
  service: number | undefined,
  run: (started: (load: StartedProgram) => void) => Promise<R>,
): Promise<Measured<R>> {
  let watching: Promise<Cpu> = Promise.resolve({ postgres: 0, service: 0, load: 0 })
  const running = run(({ pid }) => {
    const after = service === undefined ? planningSeconds : 0
    watching = watchCpu(session, { after, seconds }, { load: pid, service })
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
export function cpuOf({ perSecond, cpu }: Measured<Throughput>): CpuMicros {
  const micros = (seconds: number): number => Math.round((seconds / perSecond) * 1e6)
  return { postgres: micros(cpu.postgres), service: micros(cpu.service), load: micros(cpu.load) }
}
