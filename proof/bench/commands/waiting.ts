import { positiveInteger, subcommand } from '../subcommand.ts'

export const waitingCommand = subcommand({
  name: 'waiting',
  summary: 'clients that wait for events: delay, memory, connections',
  options: {
    readers: { type: 'string', default: '1000', value: 'N', meaning: 'clients that wait, a multiple of ten' },
    events: { type: 'string', default: '500', value: 'N', meaning: 'events to write, one at a time' },
  },
  notes: [
    'Each client waits with GET /api/v1/events/?wait=20. The delay is measured from the commit of an event to its response.',
    'Loads a small database of its own on the first run. Takes about a minute after that.',
  ],
  examples: ['waiting --readers 100 --events 50'],
  run: async ({ readers, events }) => {
    const { measureWaiting } = await import('../waiting/waiting.ts')
    await measureWaiting({
      readers: positiveInteger('readers', readers),
      events: positiveInteger('events', events),
    })
  },
})
