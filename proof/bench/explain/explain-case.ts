export type CaseValue = string | number | boolean | null | readonly (string | number | null)[]

export interface ExplainCase {
  readonly statement: string
  readonly variant: string
  readonly values: Readonly<Record<string, CaseValue>>
  /** The minimum of rows that it must return (default: 1). */
  readonly atLeast?: number
  /** Rows that it may touch at any size, if the smaller database has too few rows to reach the statement's own limits. */
  readonly bound?: number
  /** SQL that creates its preconditions, in the same transaction. */
  readonly prepare?: string
  /** Tables that it must write to. */
  readonly writes?: readonly string[]
}
