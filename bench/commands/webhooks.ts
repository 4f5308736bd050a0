import { positiveInteger, subcommand } from '../subcommand.ts'

export const webhooksCommand = subcommand({
  name: 'webhooks',
  summary: 'what webhooks cost clients that place orders',
  options: {
    database: { type: 'string', default: 'parts_bench_1m', value: 'NAME', meaning: 'loaded database, name or URL' },
    rounds: { type: 'string', default: '9', value: 'N', meaning: 'rounds; the result is their median' },
  },
  notes: [
    'Each round places orders without endpoints, with one endpoint per client, and with one per client while a worker delivers on the same machine.',
    'Removes all webhooks of the database. Needs wrk. Takes about 4 minutes.',
  ],
  examples: ['webhooks --rounds 3'],
  run: async ({ database, rounds }) => {
    const { measureWebhooks } = await import('../webhooks/webhooks.ts')
    await measureWebhooks({ database, rounds: positiveInteger('rounds', rounds) })
  },
})
