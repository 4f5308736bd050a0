import { subcommand } from '../subcommand.ts'
import { databaseOptions, jsonOption, roundOptions } from './shared-options.ts'

export const runCommand = subcommand({
  name: 'run',
  summary: 'compare each operation with PostgreSQL alone',
  options: {
    ...databaseOptions,
    only: { type: 'string', value: 'A,B', meaning: 'measure only these operations (default: all)' },
    ...roundOptions,
    ...jsonOption,
  },
  notes: [
    'For each operation, rounds alternate between pgbench, which sends the SQL statement of the service to PostgreSQL, and wrk, which sends HTTP requests to the service.',
    'With --json the latencies at half of the peak rate are not measured.',
    'Needs wrk and pgbench. All operations take about half an hour; two operations in three rounds with --json take a minute.',
  ],
  examples: ['run', 'run --only place-order-5,read-order --rounds 3 --json'],
  run: async ({ only, ...values }) => {
    const { operationNames } = await import('../run/run.ts')
    const { runAndReport } = await import('../run/run-and-report.ts')
    await runAndReport(only?.split(',') ?? operationNames, values)
  },
})
