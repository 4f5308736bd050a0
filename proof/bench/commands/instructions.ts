import { saveResults } from '../results.ts'
import { subcommand } from '../subcommand.ts'
import { jsonOption, printUnless } from './shared-options.ts'

export const instructionsCommand = subcommand({
  name: 'instructions',
  summary: 'instructions that PostgreSQL executes per operation, exactly',
  options: {
    only: { type: 'string', value: 'A,B', meaning: 'count only these operations (default: all)' },
    ...jsonOption,
  },
  notes: [
    'Counted by valgrind in a server of its own, which is loaded first. The figures do not depend on what else the machine does; they depend on the version of PostgreSQL and say nothing about waiting.',
    'Needs valgrind and the programs of PostgreSQL under /usr/lib/postgresql. Takes half a minute per operation.',
  ],
  examples: ['instructions --only place-order-5,add-line'],
  run: async ({ only, json }) => {
    const { countInstructions } = await import('../instructions/instructions.ts')
    const { refuseUnknownOperations } = await import('../run/run.ts')
    const { operations } = await import('../run/operations.ts')
    const known = operations.map(({ name }) => name)
    const names = only?.split(',') ?? known
    refuseUnknownOperations(names, known)
    const show = printUnless(json)
    const results = await countInstructions(names, show)
    show(`Written to ${saveResults('instructions', results)}.\n`)
    if (json) process.stdout.write(`${JSON.stringify(results)}\n`)
  },
})
