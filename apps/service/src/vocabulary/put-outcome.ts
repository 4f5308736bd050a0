import { word } from './schema-parts.ts'

/** What putting an object changed. */
export type PutOutcome = 'added' | 'changed' | 'unchanged'

/** `added` is what the writing statement returns: null when nothing had to be written. */
export const putOutcomeOf = (added: boolean | null | undefined): PutOutcome =>
  added === true ? 'added' : added === false ? 'changed' : 'unchanged'

export const putOutcome = word(
  { name: 'Outcome', meaning: 'What a write did.', words: ['added', 'changed', 'unchanged'] },
  'Whether it was added, changed, or the same already.',
)
