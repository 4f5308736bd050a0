import { subcommand } from '../subcommand.ts'
import { databaseOptions, comparisonOptions, jsonOption, roundOptions } from './shared-options.ts'

export const hotCommand = subcommand({
  name: 'hot',
  summary: 'place orders that all take the same items from the same stock',
  options: { ...databaseOptions, ...roundOptions, ...comparisonOptions, ...jsonOption },
  notes: [
    'Orders of one and of 20 lines, once for spread items and once for the same items. The difference is the cost of waiting for row locks.',
    'Needs wrk and pgbench. Takes about ten minutes.',
  ],
  examples: ['hot', 'hot --rounds 3'],
  run: async (values) => {
    const { hotOperationNames } = await import('../run/run.ts')
    const { runAndReport } = await import('../run/run-and-report.ts')
    const { hotLine } = await import('../run/report.ts')
    const results = await runAndReport(hotOperationNames, values)
    if (!values.json) process.stdout.write(results.map((result) => hotLine(result, results)).join(''))
  },
})
