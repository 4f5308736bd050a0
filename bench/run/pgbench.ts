/** The bare side: pgbench sends the statement that the service would send. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import '../../service/src/app.ts'
import { sessionOptions } from 'pg-statements/connections.ts'
import { statements, type Statement } from 'pg-statements/statement.ts'
import { workers, type Bench, type Material, type Operation } from './operation.ts'
import { runProgram, type StartedProgram } from './program.ts'
import { forPgbench } from './translate.ts'

export interface Throughput {
  /** Operations that were answered, and how many a second those were. */
  readonly answered: number
  readonly perSecond: number
}

export interface Latencies {
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface PgbenchLoad {
  readonly seconds: number
  readonly folder: string
  readonly started: (pgbench: StartedProgram) => void
  /** How much is asked a second, at random moments; without it, as much as can be answered. */
  readonly perSecond?: number
}

export async function runPgbench(
  bench: Bench,
  operation: Operation,
  material: Material | undefined,
  { seconds, folder, started, perSecond: pace }: PgbenchLoad,
): Promise<Throughput & Latencies> {
  const file = join(folder, 'bare.sql')
  writeFileSync(file, scriptOf(operation, material))
  const numbers = { ...bench.numbers, ...material?.numbers, workers, hold: material?.draws?.hold ?? 1, turn: -1 }
  const values = { ...numbers, ...textsOf(operation) }
  const output = await runProgram(
    'pgbench',
    [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${workers}`,
      '--jobs=2',
      '--progress=1',
      `--time=${seconds + planningSeconds}`,
      '--log',
      `--log-prefix=${join(folder, logPrefix)}`,
      ...(pace === undefined ? [] : [`--rate=${pace}`]),
      ...Object.entries(values).map(([name, value]) => `--define=${name}=${value}`),
      `--file=${file}`,
      bench.url,
    ],
    { PGOPTIONS: sessionOptions({ timeZone: 'UTC', statementTimeoutMs: 5_000 }) },
    started,
  )
  const answered = Number(/actually processed: (\d+)/.exec(output)?.[1])
  const perSecond = rateAfterPlanning(output, answered)
  assert(answered > 0 && perSecond > 0, `pgbench did not say how much it has done:\n${output}`)
  return { answered, perSecond, ...takeTimes(folder) }
}

const logPrefix = 'transactions'

/**
 * Reads and removes pgbench's logs. A line is a transaction: in the third place its microseconds, in the fifth and sixth when it
 * ended, and with a given rate in the seventh how long it waited for a free connection, which is no part of the answer.
 * As with the rate, the time in which the sessions plan does not count.
 */
function takeTimes(folder: string): Latencies {
  const transactions: { endedAt: number; micros: number }[] = []
  for (const name of readdirSync(folder).filter((file) => file.startsWith(`${logPrefix}.`))) {
    const file = join(folder, name)
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
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
  const at = (share: number): number => (times[Math.floor(times.length * share)] ?? 0) / 1000
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

/**
 * Each new session plans the statement, which for an order costs ten times what running it costs; the service's sessions have done
 * that long ago. So what pgbench reports of its first second does not count.
 */
export const planningSeconds = 1

/** pgbench says at the end of each second how it went, but not always of the last: so the rest is all less the first. */
function rateAfterPlanning(output: string, answered: number): number {
  const [, until, during] = /^progress: ([\d.]+) s, ([\d.]+) tps/m.exec(output) ?? []
  const overall = Number(/tps = ([\d.]+) \(without initial/.exec(output)?.[1])
  return (answered - Number(until) * Number(during)) / (answered / overall - Number(until))
}

/**
 * pgbench calls its clients' numbers client_id, as our statements call the dealer's: the number is saved before it is overwritten.
 * Variables keep their values from one transaction of a client to the next.
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
 * The service's text, with two differences that leave the plan as it is. Each place of a parameter becomes a parameter of its own in
 * pgbench, so each is cast to the type that the statement declares. And pgbench has no null: a null parameter gets a value that stands
 * for it, and nullif makes it null when the statement runs; a plain null would let PostgreSQL plan for it, as it cannot in the service.
 */
function bareText({ statement: name, constants }: Operation): string {
  const statement = statementOf(name)
  return statement.text.trim().replace(/\$(\d+)/g, (_, place: string) => {
    const parameter = statement.order[Number(place) - 1] ?? ''
    const type = typeOf(statement, parameter)
    const value = `:${parameter}::${type}`
    return constants[parameter] === null ? `nullif(${value}, '${standIn(type)}'::${type})` : value
  })
}

function textsOf({ statement: name, constants }: Operation): Record<string, string> {
  const statement = statementOf(name)
  return Object.fromEntries(
    Object.entries(constants).map(([parameter, value]) => [parameter, value ?? standIn(typeOf(statement, parameter))]),
  )
}

function statementOf(name: string): Statement {
  const statement = statements.get(name)
  assert(statement, `There is no statement ${name}.`)
  return statement
}

function typeOf({ name, parameters }: Statement, parameter: string): string {
  const type = parameters[parameter]?.name
  assert(type, `${name}.sql has no parameter ${parameter}.`)
  return type
}

function standIn(type: string): string {
  const known: Record<string, string> = { bigint: '-1', text: '-', date: 'infinity', 'text[]': '{}' }
  const value = known[type]
  assert(value, `No value stands for a null ${type} yet.`)
  return value
}
