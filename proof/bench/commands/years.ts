import { saveResults } from '../results.ts'
import { positiveInteger, subcommand } from '../subcommand.ts'
import { jsonOption, printUnless } from './shared-options.ts'

export const yearsCommand = subcommand({
  name: 'years',
  summary: 'sizes of tables, bloat and PostgreSQL CPU time after two simulated years',
  options: {
    days: { type: 'string', default: '730', value: 'N', meaning: 'simulated days' },
    orders: { type: 'string', default: '20', value: 'N', meaning: 'orders a day' },
    database: {
      type: 'string',
      default: 'bench_years',
      value: 'NAME',
      meaning: 'a database that is dropped and loaded',
    },
    plain: { type: 'boolean', default: false, meaning: "without the tables' own autovacuum settings, to compare" },
    only: { type: 'string', value: 'A,B', meaning: 'compare the cost of only these operations' },
    rounds: {
      type: 'string',
      default: '5',
      value: 'N',
      meaning: 'rounds of the comparison; the result is their median',
    },
    seconds: { type: 'string', default: '2', value: 'N', meaning: 'seconds per measurement' },
    ...jsonOption,
  },
  notes: [
    'Loads a database with the orders of two years, then simulates days: carts, orders, changes, cancellations, all states, imports, deliveries and the jobs of the worker, with a clock that is moved. Each day ends with a vacuum of the tables that autovacuum would have vacuumed.',
    'At the end, the database is copied and rebuilt (vacuum full), and operations are measured in the first, the aged and the rebuilt one by turns. The copies are named NAME_first and NAME_rebuilt.',
    'Needs pgbench. The default takes about 20 minutes and 2 GB.',
  ],
  examples: ['years', 'years --days 60 --plain --database bench_years_plain'],
  run: async ({ days, orders, database, plain, only, rounds, seconds, json }) => {
    const { operationNames, refuseUnknownOperations } = await import('../run/run.ts')
    const names = only?.split(',') ?? operationNames
    refuseUnknownOperations(names)
    const settings = {
      days: positiveInteger('days', days, 10_000),
      ordersPerDay: positiveInteger('orders', orders, 100_000),
      plain,
      only: names,
      rounds: positiveInteger('rounds', rounds, 9_999),
      seconds: positiveInteger('seconds', seconds),
    }
    const { databaseUrl } = await import('../load/databases.ts')
    const { plotTableSizes } = await import('../run/plots.ts')
    const { simulateYears } = await import('../years/years.ts')
    const show = printUnless(json)
    const result = await simulateYears(databaseUrl(database), settings, show)
    show(`Written to ${saveResults('years', result, { years: plotTableSizes(result.months) })} and .svg.\n`)
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
  },
})
