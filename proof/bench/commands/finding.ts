import { saveResults } from '../results.ts'
import { positiveInteger, subcommand } from '../subcommand.ts'
import { databaseOptions, jsonOption, printUnless } from './shared-options.ts'

export const findingCommand = subcommand({
  name: 'finding',
  summary: "the operators' lists, searches and counts, and the export of all orders",
  options: {
    ...databaseOptions,
    requests: { type: 'string', default: '200', value: 'N', meaning: 'requests of each list and filter' },
    rate: { type: 'string', default: '20', value: 'N', meaning: 'requests a second' },
    only: { type: 'string', value: 'NAMES', meaning: 'only these operations, separated by commas' },
    export: { type: 'boolean', default: false, meaning: 'read the CSV of all orders instead' },
    ...jsonOption,
  },
  notes: [
    'Requests each list of the operator API alone, with each of its filters, its second page, and a page of 500 rows. They are derived from the OpenAPI document of the service. Requests start at a fixed rate, whether or not earlier ones are answered; times count from the planned start. With fewer than 100 requests, p99 is the largest.',
    'The export prints rows, bytes, seconds and the memory of the service, and fails if an order is missing.',
    'Adds an operator key and the dry run of an import to the database.',
  ],
  examples: [
    'finding --size 1000000 --requests 200',
    'finding --only listClientOrders,readCounts --json',
    'finding --export',
  ],
  run: async ({ size, database, requests, rate, only, export: withExport, json }) => {
    const { prepareDatabase } = await import('../run/prepare.ts')
    const { measureFinding } = await import('../finding/finding.ts')
    const show = printUnless(json)
    const options = {
      requests: positiveInteger('requests', requests, 100_000),
      rate: positiveInteger('rate', rate, 1_000),
      only: only?.split(','),
      withExport,
      show,
    }
    const result = await measureFinding(await prepareDatabase(size, database), options)
    show(`Written to ${saveResults('finding', result)}.\n`)
    if (json) process.stdout.write(`${JSON.stringify(withExport ? result.exported : result.found)}\n`)
  },
})
