import { readFileSync, writeFileSync } from 'node:fs'
import { compare } from '../explain/compare.ts'
import { explainAll, reportTable, showPlans, type ExplainReport } from '../explain/explain.ts'
import { databaseUrl } from '../load/databases.ts'
import { names, text, workload, WrongUse } from '../workload.ts'

export default workload({
  options: {
    database: text('NAME', 'loaded database, name or URL (default: DATABASE_URL)'),
    json: text('FILE', 'also write the reports to this file'),
    show: text('STATEMENT', 'print the plans of one statement instead'),
    compare: names(
      'instead, compare two files of --json: fail if a statement touches more rows in the second, larger database',
    ),
  },
  notes: [
    'Runs each statement with `explain (analyze, buffers)` and rolls back. Exits with 1 if a statement reads a growing table without an index, returns too few rows, or does not write what it should.',
  ],
  examples: [
    'explain --database parts_bench_1m --json 1m.json',
    'explain --database parts_bench_1m --show place-order',
    'explain --compare 10k.json,1m.json',
  ],
  withoutOutcome: true,
  run: async ({ database, json, show: shown, compare: files }, { show }) => {
    if (files !== undefined) {
      const worse = compareFiles(files)
      show(worse.length === 0 ? 'No statement touches more rows in the larger database.\n' : `${worse.join('\n')}\n`)
      process.exitCode = worse.length === 0 ? 0 : 1
      return
    }
    const url = databaseUrl(database)
    if (shown !== undefined) return show(await showPlans(url, shown))
    const reports = await explainAll(url)
    show(reportTable(reports))
    if (json !== undefined) writeFileSync(json, JSON.stringify(reports, null, 2))
    process.exitCode = reports.every(({ faults }) => faults.length === 0) ? 0 : 1
  },
})

function compareFiles([small = '', large = '', ...others]: readonly string[]): string[] {
  if (small === '' || large === '' || others.length > 0)
    throw new WrongUse('--compare needs two files: SMALL.json,LARGE.json.')
  const read = (file: string): ExplainReport[] => JSON.parse(readFileSync(file, 'utf8')) as ExplainReport[]
  return compare(read(small), read(large))
}
