import { saveResults } from '../results.ts'
import { positiveInteger, subcommand } from '../subcommand.ts'
import { databaseOptions, jsonOption, printUnless } from './shared-options.ts'

export const soakCommand = subcommand({
  name: 'soak',
  summary: "the service's memory under full load",
  options: {
    ...databaseOptions,
    minutes: { type: 'string', default: '10', value: 'N', meaning: 'duration' },
    ...jsonOption,
  },
  notes: [
    'Sixteen dealers place orders as fast as the service answers. The resident memory of the largest process is sampled every five seconds.',
    'Needs wrk.',
  ],
  examples: ['soak --minutes 10'],
  run: async ({ size, database, minutes, json }) => {
    const { plotMemory } = await import('../run/plots.ts')
    const { prepareDatabase } = await import('../run/prepare.ts')
    const { soak } = await import('../run/soak.ts')
    const show = printUnless(json)
    const duration = positiveInteger('minutes', minutes)
    const result = await soak(await prepareDatabase(size, database), duration, show)
    show(`Written to ${saveResults('soak', result, { soak: plotMemory(result.samples) })} and .svg.\n`)
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
  },
})
