/** Asks before a change, at a terminal. */
import { createInterface } from 'node:readline/promises'

/** Whether a person is there to ask: both streams are a terminal. */
export const atTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** True only for `y` or `yes`. The end of the input means no. */
export async function confirmed(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr })
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
