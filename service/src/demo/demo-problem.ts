/** Something that the person at the terminal can put right. Its message is all they need: no stack is shown. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem'
}
