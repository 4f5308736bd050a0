import { printable } from '../vocabulary/printable.ts'
import { refusalError, type Details, type RefusalCode, type RefusalError } from '../vocabulary/refusals.ts'

/** Where a request has a field. */
export type Place = 'path' | 'query' | 'body'

export const problemsMax = 20 // Enough for a person to fix at once. Without a limit, 11 KB of bad names gave 1 MB.

/** Adds an error to those of a request's input. After the first 20 it only notes that there are more. */
export function addProblem<C extends RefusalCode>(problems: RefusalError[], code: C, details: Details<C>): void {
  if (problems.length < problemsMax) problems.push(refusalError(code, details))
  else if (problems.length === problemsMax) problems.push(refusalError('errors_omitted', { listed: problemsMax }))
}

/** Reports names that no field has. The known names are listed once. */
export function addUnknown(
  names: readonly string[],
  { place, known }: { place: Place; known: string[] },
  problems: RefusalError[],
): void {
  for (const [at, name] of names.entries())
    addProblem(problems, 'field_unknown', {
      field: printable(name),
      ...(place === 'query' ? { place } : {}),
      ...(at === 0 ? { known } : {}),
    })
}
