/**
 * What is measured, and how the same load comes from two sides.
 *
 * Bare, pgbench sends the very statement that the service sends; through the service, wrk sends requests. Both must ask for the same
 * things, and neither may pay for finding out what to ask for. So an operation's numbers are arithmetic, written once and translated
 * for both (translate.ts): the loader lays ids out by formulas, and what an operation uses up is laid out in rows of consecutive ids
 * before each measurement (material-*.ts). pgbench cannot reckon texts (digests, articles, words): those it reads from a small table,
 * once for `hold` operations of each worker, and wrk holds the same ones for as long. That look-up is the one thing bare does more.
 */
import type { Client } from 'pg'
import type { Sizes } from '../load/sizes.ts'

/** The constants of a run, by name: sizes of the loaded data, and where the material begins. */
export type Numbers = Readonly<Record<string, number>>

export interface Bench {
  readonly session: Client
  readonly url: string
  readonly sizes: Sizes
  readonly numbers: Numbers
}

export interface Request {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  /** Numbers and drawn texts stand in braces; `{month:2}` has at least two digits. */
  readonly path: string
  readonly form?: string
}

export interface Operation {
  readonly name: string
  /** The name of the .sql file. */
  readonly statement: string
  /** Reckoned for each operation, in this order. `turn` counts a worker's operations from 0; there are `workers` of them. */
  readonly numbers: Readonly<Record<string, string>>
  /** What is the same each time. */
  readonly constants: Readonly<Record<string, string | null>>
  readonly request: Request
  readonly supply?: Supply
}

/** Makes what the operations of one measurement need. */
export interface Supply {
  /** How many operations of one second it should be enough for, at first; later the measured rate is known. */
  readonly perSecond: number
  readonly make: (bench: Bench, operations: number) => Promise<Material>
}

export interface Material {
  readonly numbers: Numbers
  /** Texts for pgbench in the table bench_run.draws, which the number `draw` chooses a row of. */
  readonly draws?: { readonly hold: number; readonly columns: readonly string[] }
  /** How many operations it is enough for. */
  readonly enoughFor: number
  /** Operations whose effect is in the database: an answer alone proves nothing, and an empty cart is a very fast order. */
  readonly effects?: () => Promise<number>
  readonly clear: () => Promise<void>
}

/** pgbench's clients. Eight a core keep the cores busy while others wait for the disk; more only wait for one another. */
export const workers = 16
/** wrk's connections: more than the service's pool has, so that the service, not the client, decides how much is under way. */
export const connections = 32
