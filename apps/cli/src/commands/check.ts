import type { Violation } from '@parts-ordering/client/operator'
import { command } from '../command.ts'
import { exitCodes } from '../problem.ts'
import type { Column } from '../table.ts'

export const checkCommand = command({
  name: 'check',
  summary: 'check the invariants of the whole database',
  notes: [
    'Prints every violation of an invariant and exits with 1 if there are any.',
    "The check reads all data, which takes minutes with millions of orders. Ctrl-C stops waiting for the result, not the check. It requires an admin's key, and a proxy in front of the service must not time out earlier.",
  ],
  examples: ['check', 'check --json'],
  run: async ({ output, api }) => {
    const violations = await api().checkInvariants()
    await output.table(columns, violations)
    if (violations.length > 0) return exitCodes.refused
    if (!output.json) output.line('All invariants hold.', 'green')
    return exitCodes.done
  },
})

const columns: readonly Column<Violation>[] = [
  { title: 'INVARIANT', of: ({ invariant }) => invariant },
  { title: 'VIOLATION', of: ({ violation }) => violation },
]
