import { subcommand } from '../subcommand.ts'

export const smokeCommand = subcommand({
  name: 'smoke',
  summary: 'fail if an operation became much slower (for CI)',
  options: {
    record: {
      type: 'boolean',
      default: false,
      meaning: 'write the measured ratios to proof/bench/run/recorded.json instead of comparing with them',
    },
  },
  notes: [
    'Loads 2,000 orders, measures five operations in three rounds of one second, and drops the database. Exits with 1 if the best round of an operation takes much more CPU time than recorded.',
    'Needs wrk and pgbench. Takes a minute.',
  ],
  examples: ['smoke', 'smoke --record'],
  run: async ({ record }) => {
    const { runSmoke } = await import('../run/smoke.ts')
    process.exitCode = (await runSmoke({ record })) ? 0 : 1
  },
})
