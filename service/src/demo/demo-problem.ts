/** A failure that the person at the terminal can fix. Only its message is shown, without a stack. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem'
}
