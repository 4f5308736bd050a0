/**
 * An operation, and how two programs generate the same load for it.
 *
 * Bare, pgbench sends the SQL statement of the service; through the service, wrk sends requests. Both must request the
 * same things without searching for them first. So an operation's numbers are arithmetic, written once and translated for
 * both programs (translate.ts): the loader assigns ids by formulas, and rows that an operation consumes are created with
 * consecutive ids before each measurement (material-*.ts). pgbench cannot calculate texts (digests, article numbers,
 * words). It reads them from a small table, once for `hold` operations of each worker, and wrk uses each for as many
 * requests. That look-up is the only additional work of the bare side.
 */
import type { Client } from 'pg'
import type { Sizes } from '../load/sizes.ts'

/** The constants of a run by name: sizes of the loaded data, and the first ids of the material. */
export type Numbers = Readonly<Record<string, number>>

export interface Bench extends AsyncDisposable {
  readonly session: Client
  readonly url: string
  readonly sizes: Sizes
  readonly numbers: Numbers
  /** For the files of the programs that generate the load. */
  readonly folder: string
}

export interface BenchRequest {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names of numbers and texts are in braces; `{month:2}` has at least two digits. */
  readonly path: string
  readonly form?: string
}

export interface Operation {
  readonly name: string
  /** The name of the .sql file. */
  readonly statement: string
  /** Calculated for each operation, in this order. `turn` counts a worker's operations from 0; `workers` is their number. */
  readonly numbers: Readonly<Record<string, string>>
  /** Parameters that are always the same. All that is not given here or calculated is null. */
  readonly constants?: Readonly<Record<string, string | null>>
  readonly request: BenchRequest
  readonly supply?: Supply
}

/** Creates the rows that the operations of one measurement consume. */
export interface Supply {
  /** Operations per second to provide for in the first measurement; later ones use the measured rate. */
  readonly perSecond: number
  readonly make: (bench: Bench, operations: number) => Promise<Material>
}

export interface Material {
  readonly numbers: Numbers
  /** Texts in the table bench_run.draws; the number `draw` selects a row. */
  readonly draws?: { readonly hold: number; readonly columns: readonly string[] }
  /** The number of operations that it suffices for. */
  readonly enoughFor: number
  /** Counts effects in the database: a response alone proves nothing, and ordering an empty group is very fast. */
  readonly effects?: () => Promise<number>
  readonly clear: () => Promise<void>
}

/** pgbench's clients. Eight per core keep the cores busy while others wait for the disk; more only wait for locks. */
export const workers = 16
/** wrk's connections: more than the service's pool has, so that the service limits the number of statements in flight. */
export const connections = 32
