/** Asks before a change, at a terminal. */
import { createInterface } from 'node:readline/promises'
import { ConflictError } from '@parts-ordering/client/operator'
import { exitCodes, Problem } from './problem.ts'

export const yesOption = { yes: { meaning: 'confirm a change that is far out of the usual, without asking' } }

/** Whether a person is there to ask: both streams are a terminal. */
export const atTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** True only for `y` or `yes`. The end of the input means no. */
export async function confirmed(question: string): Promise<boolean> {
  // Not in raw mode: an end of the input that came before the question would be lost, and the program would wait.
  const asking = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const ended = new Promise<string>((resolve) => {
    asking.once('close', () => resolve(''))
  })
  try {
    const answer = await Promise.race([asking.question(`${question} [y/N] `), ended])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    asking.close()
  }
}

/**
 * Sends a request; if the service asks for a confirmation, asks the operator at the terminal, or takes --yes. The second
 * request contains the figure that was shown, so a change in between is not overwritten.
 */
export async function withConfirmation<T>(
  yes: boolean,
  send: (confirmation: { expected?: number; confirmed?: true }) => Promise<T>,
): Promise<T> {
  try {
    return await send({})
  } catch (error) {
    if (!(error instanceof ConflictError && error.code === 'confirmation_required')) throw error
    const { change, before, after } = error.details
    const figures = `${change.replace('contract_', '')} ${before} → ${after}`
    if (!yes && !(atTerminal() && (await confirmed(`${figures}: far out of the usual. Continue?`))))
      throw new Problem(
        exitCodes.refused,
        `Nothing was changed: ${figures} must be confirmed.`,
        'Check the figures, then repeat the command with --yes.',
        { cause: error },
      )
    return send({ expected: before, confirmed: true })
  }
}
