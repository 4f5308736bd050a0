/** Fails when a statement touches more rows in the larger database: `node bench/explain/compare.ts SMALL.json LARGE.json`. */
import { readFileSync } from 'node:fs'
import type { Report } from './explain.ts'

/** What is worse in the second than in the first: rows touched must not depend on the size of the tables. */
export function compare(small: readonly Report[], large: readonly Report[]): string[] {
  const found = new Map(large.map((report) => [nameOf(report), report]))
  return small.flatMap((before) => {
    const after = found.get(nameOf(before))
    if (after === undefined) return [`${nameOf(before)}: is missing.`]
    if (after.rowsTouched <= Math.max(after.bound ?? 0, before.rowsTouched * growthMax + rowsMore)) return []
    return [
      `${nameOf(before)}: ${before.rowsTouched} rows touched, then ${after.rowsTouched} (${tablesOf(before)} | ${tablesOf(after)}).`,
    ]
  })
}

// The sampled clients differ a little in their orders and lines; a plan that depends on size differs by far more.
const growthMax = 1.5
const rowsMore = 20

const nameOf = ({ statement, variant }: Report): string => (variant === '' ? statement : `${statement}, ${variant}`)

const tablesOf = ({ touched }: Report): string =>
  Object.entries(touched)
    .map(([table, rows]) => `${table} ${rows}`)
    .join(', ')

if (import.meta.main) {
  const [small = '', large = ''] = process.argv.slice(2)
  const read = (file: string): Report[] => JSON.parse(readFileSync(file, 'utf8')) as Report[]
  const worse = compare(read(small), read(large))
  process.stdout.write(
    worse.length === 0 ? 'No statement touches more rows in the larger database.\n' : `${worse.join('\n')}\n`,
  )
  process.exitCode = worse.length === 0 ? 0 : 1
}
