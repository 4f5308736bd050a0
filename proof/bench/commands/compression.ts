import { positiveInteger, subcommand } from '../subcommand.ts'

export const compressionCommand = subcommand({
  name: 'compression',
  summary: 'bytes and CPU time of a large and a small response, compressed and not',
  options: { rounds: { type: 'string', default: '11', value: 'N', meaning: 'rounds; the result is their median' } },
  notes: [
    'One client reads a page of 500 orders, and a single order, without and with Accept-Encoding, in turn. CPU time is that of the service.',
    'Loads a small database of its own on the first run. Takes about a minute after that.',
  ],
  examples: ['compression --rounds 5'],
  run: async ({ rounds }) => {
    const { measureCompression } = await import('../compression/compression.ts')
    await measureCompression(positiveInteger('rounds', rounds))
  },
})
