import { readFileSync, writeFileSync } from 'node:fs'
import { subcommand, WrongUse } from '../subcommand.ts'
import type { ExplainReport } from '../explain/explain.ts'

export const explainCommand = subcommand({
  name: 'explain',
  summary: 'explain every SQL statement and fail on one that does not scale',
  options: {
    database: { type: 'string', value: 'NAME', meaning: 'loaded database, name or URL (default: DATABASE_URL)' },
    json: { type: 'string', value: 'FILE', meaning: 'also write the reports to this file' },
    show: { type: 'string', value: 'STATEMENT', meaning: 'print the plans of one statement instead' },
    compare: {
      type: 'string',
      value: 'SMALL,LARGE',
      meaning: 'instead, compare two files of --json: fail if a statement touches more rows in the larger database',
    },
  },
  notes: [
    'Runs each statement with `explain (analyze, buffers)` and rolls back. Exits with 1 if a statement reads a growing table without an index, returns too few rows, or does not write what it should.',
  ],
  examples: [
    'explain --database parts_bench_1m --json 1m.json',
    'explain --database parts_bench_1m --show place-order',
    'explain --compare 10k.json,1m.json',
  ],
  run: async ({ database, json, show, compare }) => {
    if (compare !== undefined) return compareReports(compare)
    const { databaseUrl } = await import('../load/databases.ts')
    const { explainAll, reportTable, showPlans } = await import('../explain/explain.ts')
    const url = databaseUrl(database)
    if (show !== undefined) return void process.stdout.write(await showPlans(url, show))
    const reports = await explainAll(url)
    process.stdout.write(reportTable(reports))
    if (json !== undefined) writeFileSync(json, JSON.stringify(reports, null, 2))
    process.exitCode = reports.every(({ faults }) => faults.length === 0) ? 0 : 1
  },
})

async function compareReports(files: string): Promise<void> {
  const [small, large, ...others] = files.split(',')
  if (!small || !large || others.length > 0) throw new WrongUse('--compare needs two files: SMALL.json,LARGE.json.')
  const { compare } = await import('../explain/compare.ts')
  const read = (file: string): ExplainReport[] => JSON.parse(readFileSync(file, 'utf8')) as ExplainReport[]
  const worse = compare(read(small), read(large))
  process.stdout.write(
    worse.length === 0 ? 'No statement touches more rows in the larger database.\n' : `${worse.join('\n')}\n`,
  )
  process.exitCode = worse.length === 0 ? 0 : 1
}
