/** Confirmation of changes that the service accepts only with the figures it has shown. */
import { createInterface } from 'node:readline/promises'
import { exitCodes, Problem, RefusedByService } from './problem.ts'

export const yesOption = { yes: { meaning: 'confirm a change that is far out of the usual, without asking' } }

/**
 * Sends a request; if the service asks for a confirmation, asks the operator at the terminal, or takes --yes. The second
 * request contains the figure that was shown, so a change in between is not overwritten.
 */
export async function withConfirmation<T>(
  yes: boolean,
  send: (confirmation: { expected?: unknown }) => Promise<T>,
): Promise<T> {
  try {
    return await send({})
  } catch (error) {
    const asked = error instanceof RefusedByService ? error.errors[0] : undefined
    if (asked?.code !== 'confirmation_required') throw error
    const { change, before, after } = asked.details ?? {}
    const figures = `${String(change).replace('contract_', '')} ${String(before)} → ${String(after)}`
    if (!yes && !(await asksFor(figures)))
      throw new Problem(
        exitCodes.refused,
        `Nothing was changed: ${figures} must be confirmed.`,
        'Check the figures, then repeat the command with --yes.',
        { cause: error },
      )
    return send({ expected: before })
  }
}

async function asksFor(figures: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([terminal.question(`${figures}: far out of the usual. Continue? [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
