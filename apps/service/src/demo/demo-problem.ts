/** A failure that the person at the terminal can fix. Only its message is shown, without a stack. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem'
}

export const startFresh = 'To start with new data: npm run demo -- --fresh'

/** A caught value as an error that may have a code, as those of Node and PostgreSQL do. */
export const asErrno = (caught: unknown): NodeJS.ErrnoException =>
  caught instanceof Error ? caught : new Error(String(caught))
