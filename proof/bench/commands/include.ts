import { positiveInteger, subcommand } from '../subcommand.ts'

export const includeCommand = subcommand({
  name: 'include',
  summary: 'reading orders with their details and without',
  options: {
    requests: { type: 'string', default: '300', value: 'N', meaning: 'requests per measurement' },
    rounds: { type: 'string', default: '20', value: 'N', meaning: 'rounds; medians are printed' },
  },
  notes: [
    'Rounds alternate between the values of include, over 8 connections. Exits with 1 if one of them takes more than 1.5 of the CPU time without include.',
    'Loads a small database of its own on the first run. Takes a minute after that.',
  ],
  examples: ['include --rounds 5'],
  run: async ({ requests, rounds }) => {
    const { measureInclude } = await import('../include/include.ts')
    const cheap = await measureInclude({
      requests: positiveInteger('requests', requests, 100_000),
      rounds: positiveInteger('rounds', rounds, 1000),
    })
    process.exitCode = cheap ? 0 : 1
  },
})
