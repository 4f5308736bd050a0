import { positiveInteger, subcommand } from '../subcommand.ts'

export const bulkCommand = subcommand({
  name: 'bulk',
  summary: 'adding many rows to a cart at once and one by one',
  options: {
    rows: { type: 'string', default: '1000', value: 'N', meaning: 'rows that are added, at most 1000' },
    rounds: { type: 'string', default: '5', value: 'N', meaning: 'rounds; medians are printed' },
  },
  notes: [
    'Each round adds the same items to two new carts over one connection: one by one, and as one request with articles. Exits with 1 if the one request takes more than a quarter of the time.',
    'Loads a small database of its own on the first run. Takes half a minute after that.',
  ],
  examples: ['bulk --rounds 3'],
  run: async ({ rows, rounds }) => {
    const { measureBulk } = await import('../bulk/bulk.ts')
    const fast = await measureBulk({
      rows: positiveInteger('rows', rows, 1000),
      rounds: positiveInteger('rounds', rounds, 1000),
    })
    process.exitCode = fast ? 0 : 1
  },
})
