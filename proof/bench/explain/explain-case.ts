/** A case of a statement. It says only what is special: values.ts has the values of all other parameters. */
export interface ExplainCase {
  /** By parameter. */
  readonly values?: CaseValues
  /** The minimum of rows that it must return (default: 1). */
  readonly atLeast?: number
  /** Rows that it may touch at any size, if the smaller database has too few rows to reach the statement's own limits. */
  readonly bound?: number
  /** SQL that creates its preconditions, in the same transaction. */
  readonly prepare?: string
  /** Tables that it must write to, separated by spaces. */
  readonly writes?: string
}

export type CaseValues = Readonly<Record<string, CaseValue>>
export type CaseValue = string | number | boolean | null | readonly (string | number | null)[]

/** The key is the name of a statement; where it has several cases, what is special about this one follows a comma. */
export type ExplainCases = Readonly<Record<string, ExplainCase>>
