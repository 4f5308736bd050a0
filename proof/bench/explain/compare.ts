import type { ExplainReport } from './explain.ts'

/** A sentence for each statement that touches more rows in the larger database. Rows must not depend on table sizes. */
export function compare(small: readonly ExplainReport[], large: readonly ExplainReport[]): string[] {
  const found = new Map(large.map((report) => [nameOf(report), report]))
  return small.flatMap((before) => {
    const after = found.get(nameOf(before))
    if (after === undefined) return [`${nameOf(before)} is missing.`]
    if (after.rowsTouched <= Math.max(after.bound ?? 0, before.rowsTouched * growthMax + rowsMoreMax)) return []
    return [
      `${nameOf(before)}: ${before.rowsTouched} rows touched, then ${after.rowsTouched} (${tablesOf(before)} | ${tablesOf(after)}).`,
    ]
  })
}

// The sampled clients differ slightly in orders and lines. A plan that depends on size differs by far more.
const growthMax = 1.5
const rowsMoreMax = 20

const nameOf = ({ statement, variant }: ExplainReport): string =>
  variant === '' ? statement : `${statement}, ${variant}`

const tablesOf = ({ touched }: ExplainReport): string =>
  Object.entries(touched)
    .map(([table, rows]) => `${table} ${rows}`)
    .join(', ')
