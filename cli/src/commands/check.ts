import type { Violation } from '../../../service/src/invariants/check-invariants.ts'
import { command } from '../command.ts'
import { exitCodes } from '../problem.ts'
import type { Column } from '../table.ts'

export const checkCommand = command({
  name: 'check',
  summary: 'check the invariants over the whole database',
  notes: [
    'Ends with 0 when all invariants hold, with 1 when not. It reads everything, which takes minutes with millions of orders; Ctrl-C ends the waiting, not the check. It needs an admin’s key, and on the way to the service no proxy that gives up sooner.',
  ],
  examples: ['check', 'check --json'],
  run: async ({ output, service }) => {
    const violations = await service.ask<Violation[]>('GET', '/operator/v1/invariants/')
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
