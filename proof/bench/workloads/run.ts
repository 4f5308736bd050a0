import { journey, operations } from '../run/operations.ts'
import { compareSides, comparisonOptions } from '../run/run.ts'
import { names, workload } from '../workload.ts'

export default workload({
  options: { only: names('measure only these operations (default: all)'), ...comparisonOptions },
  notes: [
    'For each operation, rounds alternate between pgbench, which sends the SQL statement of the service to PostgreSQL, and wrk, which sends HTTP requests to the service.',
    'Needs wrk and pgbench. All operations take about half an hour; two operations in three rounds with --json take a minute.',
  ],
  examples: ['run', 'run --only place-order-5,read-order --rounds 3 --half --json'],
  run: ({ only, ...values }, output) => {
    const all = [...operations.map(({ name }) => name), ...(values.rate === undefined ? [journey] : [])]
    return compareSides(only ?? all, values, output)
  },
})
