/** Measures operations, bare and through the service in turn, so that what else the machine does meets both. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { watchCpu, type Cpu } from './cpu.ts'
import { runJourneys } from './journey.ts'
import type { Bench, Material, Operation } from './operation.ts'
import { planningSeconds, runPgbench, type Throughput, type Latencies } from './pgbench.ts'
import type { StartedProgram } from './program.ts'
import type { ServiceProcess } from './service-process.ts'
import { median } from './median.ts'
import { runWrk, type Pace, type ServiceRate } from './wrk.ts'

export interface Round {
  /** Operations a second; a journey has no bare side. */
  readonly bare?: number
  readonly service: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** CPU microseconds an operation. */
  readonly cpu: {
    readonly barePostgres?: number
    readonly postgres: number
    readonly service: number
    readonly load: number
  }
}

/** Latencies of answers while half as much is asked as can be answered, and the same bare: what the machine itself does to them. */
export interface AtHalf {
  readonly perSecond: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly bare_p50_ms: number
  readonly bare_p99_ms: number
}

export interface Measurement {
  readonly rounds: readonly Round[]
  readonly half?: AtHalf
}

export interface MeasureSettings {
  readonly rounds: number
  readonly seconds: number
  /** Whether times at half of the peak rate are measured too, which takes as long again. */
  readonly half: boolean
  readonly folder: string
  readonly service: ServiceProcess
}

export const journey = 'journey'
const warmUpSeconds = 1 // Until the service's code is compiled, its keys are known and the pages are in memory.

export async function measure(bench: Bench, operation: Operation, settings: MeasureSettings): Promise<Measurement> {
  const { rounds, seconds } = settings
  const bare = bareSide(bench, operation, settings.folder)
  const through = serviceSide(bench, operation, settings)

  await through(warmUpSeconds)
  const measured: Round[] = []
  while (measured.length < rounds) {
    const one = await bare(seconds)
    const other = await through(seconds)
    measured.push({
      bare: one.perSecond,
      service: other.perSecond,
      p50_ms: other.rate.p50Ms,
      p99_ms: other.rate.p99Ms,
      cpu: { ...cpuOf(other), barePostgres: cpuOf(one).postgres },
    })
  }
  if (!settings.half) return { rounds: measured }
  const half = await measureHalf(measured, {
    bare: (perSecond) => bare(seconds, perSecond),
    through: (paced) => through(seconds, paced),
  })
  return { rounds: measured, half }
}

/** A function that measures the operation through the service, for so many seconds. */
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

/** A function that measures the operation bare, for so many seconds. */
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

async function measureHalf(
  rounds: readonly Round[],
  sides: {
    bare: (perSecond: number) => Promise<Measured<Throughput & Latencies>>
    through: (paced: Pace) => Promise<Measured<ServiceRate>>
  },
): Promise<AtHalf> {
  const perSecond = median(rounds.map(({ service }) => service)) / 2
  const barePerSecond = Math.ceil(median(rounds.map(({ bare = 0 }) => bare)) / 2)
  const first = await sides.through({ perSecond, answerMs: 0 }) // How long an answer takes at this rate, to make the pauses fit.
  const times: AtHalf[] = []
  while (times.length < rounds.length) {
    const { rate: bare } = await sides.bare(barePerSecond)
    const { rate } = await sides.through({ perSecond, answerMs: first.rate.p50Ms })
    times.push({
      perSecond: rate.perSecond,
      p50_ms: rate.p50Ms,
      p99_ms: rate.p99Ms,
      bare_p50_ms: bare.p50Ms,
      bare_p99_ms: bare.p99Ms,
    })
  }
  const over = (name: keyof AtHalf): number => Number(median(times.map((time) => time[name])).toFixed(2))
  return {
    perSecond: over('perSecond'),
    p50_ms: over('p50_ms'),
    p99_ms: over('p99_ms'),
    bare_p50_ms: over('bare_p50_ms'),
    bare_p99_ms: over('bare_p99_ms'),
  }
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

/** How many operations a second to provide for. */
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
  for (;;) {
    const material = await operation.supply?.make(bench, Math.ceil(guess.perSecond * (seconds + planningSeconds)))
    const measured = await watched(bench, seconds, servicePid, (started) => run(material, started))
    const { answered, perSecond, failed = 0 } = measured.rate
    const effects = (await material?.effects?.()) ?? answered
    await material?.clear()
    const short = effects < answered * 0.98
    // pgbench's workers are not equally fast, and one may have used up its share long before all is used up.
    if (material !== undefined && (answered > material.enoughFor || (short && answered > material.enoughFor / 4))) {
      guess.perSecond *= 2 // Whatever was answered after the last piece is no operation: once more, with more.
      continue
    }
    if (failed > 0) throw new Error(`${operation.name}: ${failed} of ${answered} requests failed.`)
    if (short) throw new Error(`${operation.name}: ${answered} answers, but only ${effects} effects in the database.`)
    guess.perSecond = Math.ceil(perSecond * 2)
    return { ...measured, perSecond: perSecond * Math.min(1, effects / answered) }
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
  const [rate, cpu] = [await running.finally(() => watching), await watching] // The session must not be closed under the watcher.
  await quiet(session)
  return { rate, perSecond: rate.perSecond, cpu }
}

/** Waits until the service has done what it had taken in before the load stopped: ten looks in a row without a statement. */
async function quiet(session: Client): Promise<void> {
  for (let still = 0; still < 10;) {
    const { rowCount } = await session.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and backend_type = 'client backend'
         and pid <> pg_backend_pid()`,
    )
    still = rowCount === 0 ? still + 1 : 0
    await sleep(10)
  }
}

/** CPU microseconds an operation. */
export function cpuOf({ perSecond, cpu }: Measured<Throughput>): { postgres: number; service: number; load: number } {
  const micros = (seconds: number): number => Math.round((seconds / perSecond) * 1e6)
  return { postgres: micros(cpu.postgres), service: micros(cpu.service), load: micros(cpu.load) }
}
