import { subcommand } from '../subcommand.ts'
import { databaseOptions, comparisonOptions, jsonOption, roundOptions } from './shared-options.ts'

export const runCommand = subcommand({
  name: 'run',
  summary: 'compare each operation with PostgreSQL alone',
  options: {
    ...databaseOptions,
    only: { type: 'string', value: 'A,B', meaning: 'measure only these operations (default: all)' },
    ...roundOptions,
    ...comparisonOptions,
    ...jsonOption,
  },
  notes: [
    'For each operation, rounds alternate between pgbench, which sends the SQL statement of the service to PostgreSQL, and wrk, which sends HTTP requests to the service.',
    'Needs wrk and pgbench. All operations take about half an hour; two operations in three rounds with --json take a minute.',
  ],
  examples: ['run', 'run --only place-order-5,read-order --rounds 3 --half --json'],
  run: async ({ only, ...values }) => {
    const { operationNames } = await import('../run/run.ts')
    const { journey } = await import('../run/measure.ts')
    const { runAndReport } = await import('../run/run-and-report.ts')
    const all = operationNames.filter((name) => values.rate === undefined || name !== journey)
    await runAndReport(only?.split(',') ?? all, values)
  },
})
