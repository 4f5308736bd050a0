import { saveResults } from '../results.ts'
import { positiveInteger, subcommand } from '../subcommand.ts'
import { databaseOptions, jsonOption, printUnless } from './shared-options.ts'

export const overloadCommand = subcommand({
  name: 'overload',
  summary: 'orders and lists under three times the sustainable load',
  options: {
    ...databaseOptions,
    seconds: { type: 'string', default: '60', value: 'N', meaning: 'duration of the overload' },
    ...jsonOption,
  },
  notes: [
    'Open-loop load with load shedding on. Exits with 1 if orders fell below 0.9 of their peak rate, lists were not refused first, a refusal had no Retry-After, or the service did not recover within ten seconds.',
    'Needs wrk. Takes two minutes with the default duration.',
  ],
  examples: ['overload', 'overload --seconds 20 --json'],
  run: async ({ size, database, seconds, json }) => {
    const { faultsOf, measureOverload } = await import('../run/overload.ts')
    const { prepareDatabase } = await import('../run/prepare.ts')
    const show = printUnless(json)
    const overloadSeconds = positiveInteger('seconds', seconds)
    const result = await measureOverload(await prepareDatabase(size, database), overloadSeconds, show)
    const faults = faultsOf(result)
    show(`Written to ${saveResults('overload', result)}.\n${faults.map((fault) => `${fault}\n`).join('')}`)
    process.exitCode = faults.length === 0 ? 0 : 1
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
  },
})
