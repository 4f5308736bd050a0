import { positiveInteger, subcommand, WrongUse } from '../subcommand.ts'

export const webhooksCommand = subcommand({
  name: 'webhooks',
  summary: 'what webhooks cost clients that place orders',
  options: {
    database: { type: 'string', default: 'parts_bench_1m', value: 'NAME', meaning: 'loaded database, name or URL' },
    rounds: { type: 'string', default: '9', value: 'N', meaning: 'rounds; the result is their median' },
    only: { type: 'string', value: 'PART', meaning: 'orders or cost (default: orders)' },
    seconds: { type: 'string', default: '8', value: 'N', meaning: 'of a round of --only cost' },
    'per-second': { type: 'string', default: '300', value: 'N', meaning: 'events in --only cost' },
    against: { type: 'string', value: 'DIR', meaning: 'in --only cost, another checkout to measure in turns' },
  },
  notes: [
    'Each round places orders without endpoints, with one endpoint per client, and with one per client while a worker delivers on the same machine.',
    'With --only cost, events happen at a fixed rate, and the CPU time of a delivery is measured, in the worker and in its PostgreSQL backends. A busy machine changes it less than it changes rates.',
    'Removes all webhooks of the database. Needs wrk. Takes about 4 minutes.',
  ],
  examples: ['webhooks --rounds 3', 'webhooks --only cost --against ../before'],
  run: async ({ database, rounds, only = 'orders', seconds, 'per-second': perSecond, against }) => {
    if (!['orders', 'cost'].includes(only)) throw new WrongUse(`--only must be orders or cost, not '${only}'.`)
    if (only === 'cost') {
      const { measureDeliveryCost } = await import('../webhooks/delivery-cost.ts')
      await measureDeliveryCost({
        database,
        rounds: positiveInteger('rounds', rounds),
        seconds: positiveInteger('seconds', seconds),
        perSecond: positiveInteger('per-second', perSecond),
        against,
      })
      return
    }
    const { measureWebhooks } = await import('../webhooks/webhooks.ts')
    await measureWebhooks({ database, rounds: positiveInteger('rounds', rounds) })
  },
})
