import { saveResults } from '../results.ts'
import { positiveInteger, subcommand } from '../subcommand.ts'
import { jsonOption, printUnless, roundOptions } from './shared-options.ts'

export const growthCommand = subcommand({
  name: 'growth',
  summary: 'PostgreSQL CPU time per operation at several database sizes',
  options: {
    sizes: { type: 'string', default: '10000,1000000', value: 'A,B', meaning: 'numbers of orders, smallest first' },
    only: { type: 'string', value: 'A,B', meaning: 'measure only these operations (default: all)' },
    ...roundOptions,
    ...jsonOption,
  },
  notes: [
    'Only pgbench is used, and the sizes alternate, so that noise affects all of them equally. The last column is the CPU time at the largest size divided by that at the smallest.',
    'Needs pgbench. Two sizes take about 15 minutes, plus loading.',
  ],
  examples: ['growth --sizes 10000,1000000,10000000', 'growth --only read-order,place-order-5'],
  run: async ({ sizes, only, rounds, seconds, json }) => {
    const { measureGrowth } = await import('../run/growth.ts')
    const { operationNames, refuseUnknownOperations } = await import('../run/run.ts')
    const names = only?.split(',') ?? operationNames
    refuseUnknownOperations(names)
    const show = printUnless(json)
    const results = await measureGrowth(
      sizes.split(','),
      {
        only: names,
        rounds: positiveInteger('rounds', rounds),
        seconds: positiveInteger('seconds', seconds ?? (json ? '2' : '5')),
      },
      show,
    )
    show(`Written to ${saveResults('growth', results)}.\n`)
    if (json) process.stdout.write(`${JSON.stringify(results)}\n`)
  },
})
