import { positiveInteger, subcommand } from '../subcommand.ts'

export const expiryCommand = subcommand({
  name: 'expiry',
  summary: 'orders while events expire, compared with orders alone',
  options: {
    database: { type: 'string', default: 'parts_bench_1m', value: 'NAME', meaning: 'loaded database, name or URL' },
    seconds: { type: 'string', default: '5', value: 'N', meaning: 'seconds per measurement' },
  },
  notes: [
    'Copies the database to parts_bench_expiry and drops the copy at the end; nothing else may use the database meanwhile.',
    'Orders arrive at half of their peak rate. In each of two rounds they are measured alone, alone again as a control, and while half of all events expire.',
    'Needs wrk. Takes about two minutes.',
  ],
  examples: ['expiry', 'expiry --database small --seconds 3'],
  run: async ({ database, seconds }) => {
    const { measureExpiry } = await import('../expiry/expiry.ts')
    await measureExpiry({ database, seconds: positiveInteger('seconds', seconds) })
  },
})
