import { positiveInteger, subcommand, WrongUse } from '../subcommand.ts'

export const importsCommand = subcommand({
  name: 'imports',
  summary: 'imports compared with copy, and their effect on orders',
  options: {
    items: { type: 'string', default: '1000000', value: 'N', meaning: 'items; prices and stock levels are three each' },
    'orders-database': {
      type: 'string',
      value: 'NAME',
      meaning: 'also place orders in this loaded database, alone and during an import',
    },
    only: { type: 'string', value: 'PART', meaning: 'copy or orders (default: both)' },
  },
  notes: [
    'The comparison with `\\copy` creates and drops the database parts_bench_imports. The results are printed as JSON and written to proof/bench/results/.',
    'Needs psql and curl, and wrk for orders. A million items take about a quarter of an hour.',
  ],
  examples: ['imports --items 100000', 'imports --only orders --orders-database parts_bench_1m'],
  run: async ({ items, 'orders-database': ordersDatabase, only }) => {
    if (only !== undefined && !['copy', 'orders'].includes(only))
      throw new WrongUse(`--only must be copy or orders, not '${only}'.`)
    if (only === 'orders' && ordersDatabase === undefined) throw new WrongUse('--only orders needs --orders-database.')
    const { measureImports } = await import('../imports/imports.ts')
    await measureImports({
      items: positiveInteger('items', items),
      withCopy: only !== 'orders',
      ordersDatabase: only === 'copy' ? undefined : ordersDatabase,
    })
  },
})
