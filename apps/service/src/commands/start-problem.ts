/** Why a process cannot start, in a sentence for the person who starts it. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem'
}
