export type CaseValue = string | number | boolean | null | readonly (string | number)[]

export interface ExplainCase {
  readonly statement: string
  readonly variant: string
  readonly values: Readonly<Record<string, CaseValue>>
  /** Rows that it must return; 1 if absent. */
  readonly atLeast?: number
  /** Rows that it may touch at any size, where the smaller database does not have enough for the statement's own limits to show. */
  readonly bound?: number
  /** SQL that makes what it needs, in the same transaction. */
  readonly prepare?: string
  /** Tables that it must have written to. */
  readonly writes?: readonly string[]
}
