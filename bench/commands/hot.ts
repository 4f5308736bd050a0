import { subcommand } from '../subcommand.ts'
import { databaseOptions, jsonOption, roundOptions } from './shared-options.ts'

export const hotCommand = subcommand({
  name: 'hot',
  summary: 'place orders that all take the same items from the same stock',
  options: { ...databaseOptions, ...roundOptions, ...jsonOption },
  notes: [
    'Orders of one and of 20 lines, once for spread items and once for the same items. The difference is the cost of waiting for row locks.',
    'Needs wrk and pgbench. Takes about ten minutes.',
  ],
  examples: ['hot', 'hot --rounds 3'],
  run: async (values) => {
    const { hotOperationNames } = await import('../run/run.ts')
    const { runAndReport } = await import('../run/run-and-report.ts')
    await runAndReport(hotOperationNames, values)
  },
})
