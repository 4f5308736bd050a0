/** The bare side: pgbench sends the SQL statement of the service. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import '../../../apps/service/src/app.ts'
import { sessionOptions } from 'pg-statements/session-settings.ts'
import { statements } from 'pg-statements/statement.ts'
import { latenciesOf, percentages, type Latencies } from './figures.ts'
import { workers, type Bench, type Material, type Operation } from './operation.ts'
import { runProgram, type StartedProgram } from './program.ts'
import { forPgbench } from './translate.ts'

export interface Throughput {
  /** Completed operations, and their rate. */
  readonly completed: number
  readonly perSecond: number
}

export interface PgbenchLoad {
  readonly seconds: number
  readonly started: (pgbench: StartedProgram) => void
  /** Operations per second at random moments (open-loop). Without it, as many as possible. */
  readonly perSecond?: number | undefined
}

export async function runPgbench(
  bench: Bench,
  operation: Operation,
  material: Material | undefined,
  { seconds, started, perSecond: pace }: PgbenchLoad,
): Promise<Throughput & Latencies> {
  const time = `--time=${seconds + planningSeconds}`
  const log = ['--progress=1', '--log', `--log-prefix=${join(bench.folder, logPrefix)}`]
  const options = [`--client=${workers}`, '--jobs=2', time, ...log, ...(pace === undefined ? [] : [`--rate=${pace}`])]
  const output = await runScript(bench, operation, material, { started, turn: -1, options })
  const completed = Number(/actually processed: (\d+)/.exec(output)?.[1])
  const perSecond = rateAfterPlanning(output, completed)
  const times = takeTimes(bench.folder)
  if (!(completed > 0 && perSecond > 0)) throw new NothingMeasured(`pgbench reported no rate:\n${output}`)
  return { completed, perSecond, ...times }
}

/** Runs a number of operations one after the other in one session, after those that an earlier run has done. */
export async function runTransactions(
  bench: Bench,
  operation: Operation,
  material: Material | undefined,
  { transactions, done }: { transactions: number; done: number },
): Promise<void> {
  const options = ['--client=1', `--transactions=${transactions}`, '--define=worker=0']
  await runScript(bench, operation, material, { turn: done - 1, options })
}

interface ScriptRun {
  readonly started?: PgbenchLoad['started']
  /** The last turn that is done; -1 if none is. */
  readonly turn: number
  readonly options: readonly string[]
}

function runScript(
  bench: Bench,
  operation: Operation,
  material: Material | undefined,
  { started, turn, options }: ScriptRun,
): Promise<string> {
  const file = join(bench.folder, 'bare.sql')
  writeFileSync(file, scriptOf(operation, material))
  const hold = material?.draws?.hold ?? 1
  const values = { ...bench.numbers, ...material?.numbers, workers, hold, turn, ...operation.constants }
  const defined = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : `--define=${name}=${value}`))
  const env = { PGOPTIONS: sessionOptions({ timeZone: 'UTC', statementTimeoutMs: 5_000 }) }
  const args = ['--no-vacuum', '--protocol=prepared', ...options, ...defined, `--file=${file}`, bench.url]
  return runProgram('pgbench', args, { env, started })
}

/** Nothing was completed while it was measured: the machine may have stood still. */
export class NothingMeasured extends Error {}

const logPrefix = 'transactions'

/**
 * Reads and removes pgbench's logs. A line is a transaction: the third field is its duration in microseconds, the fifth
 * and sixth its end, and with a given rate the seventh is the time it waited for a free connection, which is not part of
 * the latency. As with the rate, the time in which the sessions plan does not count.
 */
function takeTimes(folder: string): Latencies {
  const transactions: { endedAt: number; micros: number }[] = []
  for (const name of readdirSync(folder).filter((file) => file.startsWith(`${logPrefix}.`))) {
    const file = join(folder, name)
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const [, , micros = 0, , seconds = 0, rest = 0, waited = 0] = line.split(' ').map(Number)
      transactions.push({ endedAt: seconds * 1e6 + rest, micros: micros - waited })
    }
    rmSync(file)
  }
  const startedAt = transactions.reduce((first, { endedAt, micros }) => Math.min(first, endedAt - micros), Infinity)
  const times = transactions
    .filter(({ endedAt }) => endedAt > startedAt + planningSeconds * 1e6)
    .map(({ micros }) => micros)
    .sort((x, y) => x - y)
  return latenciesOf(percentages.map((each) => (times[Math.floor((times.length * each) / 100)] ?? 0) / 1000))
}

/**
 * Each new session plans the statement, which for an order costs ten times as much as running it. The service's sessions
 * did that long ago, so pgbench's first second does not count.
 */
export const planningSeconds = 1

/** pgbench reports each second, but not always the last one, so the first is subtracted from the total. */
function rateAfterPlanning(output: string, completed: number): number {
  const [, until, during] = /^progress: ([\d.]+) s, ([\d.]+) tps/m.exec(output) ?? []
  const overall = Number(/tps = ([\d.]+) \(without initial/.exec(output)?.[1])
  const rate = (completed - Number(until) * Number(during)) / (completed / overall - Number(until))
  return rate > 0 ? rate : overall // On a machine so slow that connecting took most of the time.
}

/**
 * pgbench's own variable client_id, the number of the worker, is saved before it is overwritten by the dealer's id.
 * Variables keep their values from one transaction of a worker to the next.
 */
function scriptOf(operation: Operation, material: Material | undefined): string {
  const draw = material?.draws && [
    '\\if :turn % :hold = 0',
    `select ${material.draws.columns.join(', ')} from bench_run.draws where n = :draw \\gset`,
    '\\endif',
  ]
  return [
    '\\if :turn < 0',
    '\\set worker :client_id',
    '\\endif',
    '\\set turn :turn + 1',
    ...Object.entries(operation.numbers).map(([name, expression]) => forPgbench(name, expression)),
    ...(draw ?? []),
    `${bareText(operation)};`,
    '',
  ].join('\n')
}

/**
 * The service's text. Each occurrence of a parameter becomes a separate parameter in pgbench, so each is cast to the type
 * that the statement declares. pgbench sends null for what is not defined.
 */
function bareText({ statement: name }: Operation): string {
  const statement = statements.get(name)
  assert(statement, `There is no statement ${name}.`)
  return statement.text.trim().replace(/\$(\d+)/g, (_, place: string) => {
    const parameter = statement.order[Number(place) - 1] ?? ''
    return `:${parameter}::${statement.parameters[parameter]?.name}`
  })
}
