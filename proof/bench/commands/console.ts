import { saveResults } from '../results.ts'
import { positiveInteger, subcommand } from '../subcommand.ts'
import { databaseOptions, jsonOption, printUnless } from './shared-options.ts'

export const consoleCommand = subcommand({
  name: 'console',
  summary: "the console's pages in Chromium: time to the first rows",
  options: {
    ...databaseOptions,
    only: { type: 'string', value: 'A,B', meaning: 'open only these pages (default: all)' },
    rounds: { type: 'string', default: '20', value: 'N', meaning: 'how often each page is opened in each way' },
    ...jsonOption,
  },
  notes: [
    'Opens each page by its address and from another page, in turns, and prints p50 and p95 of the time until its first rows are in the page.',
    'Needs Chromium (CHROMIUM names the program) and a built console: npm run build. Takes about 3 minutes, plus loading.',
  ],
  examples: ['console --rounds 5 --only inbox,orders', 'console --database parts_bench_10k --json'],
  run: async ({ size, database, only, rounds, json }) => {
    const { measureConsole, pageNames, refuseUnknownPages } = await import('../console/console.ts')
    const { prepareDatabase } = await import('../run/prepare.ts')
    const names = only?.split(',') ?? pageNames
    refuseUnknownPages(names)
    const count = positiveInteger('rounds', rounds, 1_000)
    const results = await measureConsole(await prepareDatabase(size, database), { rounds: count, only: names })
    const show = printUnless(json)
    const line = (...cells: (string | number)[]): void =>
      show(`${cells.map((cell, at) => (at === 0 ? String(cell).padEnd(10) : String(cell).padStart(14))).join('')}\n`)
    line('page', 'address p50', 'address p95', 'other p50', 'other p95')
    for (const one of results)
      line(one.page, one.address_p50_ms, one.address_p95_ms, one.other_p50_ms, one.other_p95_ms)
    show(`Milliseconds, ${count} rounds. Written to ${saveResults('console', results)}.\n`)
    if (json) process.stdout.write(`${JSON.stringify(results)}\n`)
  },
})
