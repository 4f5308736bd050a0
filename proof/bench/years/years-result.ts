/** What `years` finds out. */
import type { IndexSize, TableSizes, Updates } from './table-sizes.ts'

export interface MonthSample {
  readonly day: number
  /** Of each table with its indexes. */
  readonly bytes: Readonly<Record<string, number>>
}

export interface OperationCost {
  readonly operation: string
  /** Microseconds of PostgreSQL CPU time: on the first day, at the end, and at the end in rebuilt tables. */
  readonly first_us: number
  readonly aged_us: number
  readonly rebuilt_us: number
  /** Medians of the quotients of each round. */
  readonly aged_to_first: number
  readonly aged_to_rebuilt: number
}

export interface Years {
  readonly days: number
  readonly orders_per_day: number
  readonly plain: boolean
  readonly seconds: number
  /** What was done in the simulated days. */
  readonly done: Readonly<Record<string, number>>
  readonly months: readonly MonthSample[]
  readonly tables: { readonly first: TableSizes; readonly half: TableSizes; readonly aged: TableSizes; readonly rebuilt: TableSizes } // prettier-ignore
  readonly indexes: { readonly aged: readonly IndexSize[]; readonly rebuilt: readonly IndexSize[] }
  readonly updates: readonly Updates[]
  readonly vacuums: Readonly<Record<string, number>>
  readonly costs: readonly OperationCost[]
}
