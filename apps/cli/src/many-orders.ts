/** Commands that work on one order or on many: numbers separated by commas, or in a file. */
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { wholeNumber } from './command.ts'
import { withOrderNumber } from './find-order.ts'
import type { Output } from './output.ts'
import { errorMessage, exitCodes, Problem, RefusedByService, type ExitCode } from './problem.ts'
import { jsonLine } from './text.ts'

export const numbersNote =
  'NUMBERS is an order number, or several separated by commas, or @FILE for a file with one number per line (@- for standard input). Each order is handled on its own: one that is refused does not affect the others, and the exit code is 1.'

/** In the order in which they were given, each once. */
export async function readNumbers(given: string): Promise<number[]> {
  const words = given.startsWith('@') ? await linesOf(given.slice(1)) : given.split(',')
  const numbers = words.map((word) => word.trim()).filter((word) => word !== '')
  if (numbers.length === 0) throw new Problem(exitCodes.usage, `There is no order number in '${given}'.`)
  return [...new Set(numbers.map((number) => wholeNumber(number, 'An order number')))]
}

async function linesOf(file: string): Promise<string[]> {
  try {
    const content = file === '-' ? await textOf(process.stdin) : await readFile(file, 'utf8')
    return content.split('\n').map((line) => line.replace(/#.*/, ''))
  } catch (error) {
    throw new Problem(exitCodes.usage, `Cannot read '${file}': ${errorMessage(error)}.`)
  }
}

interface Work<T> {
  readonly output: Output
  readonly send: (order_number: number) => Promise<T>
  /** One line for people. */
  readonly describe: (order_number: number, result: T) => string
}

/** Sends one request after another. A single order that is refused ends the program as any refusal does. */
export async function forEachOrder<T>(numbers: readonly number[], work: Work<T>): Promise<ExitCode | void> {
  const { output, send, describe } = work
  let refused = 0
  for (const [done, order_number] of numbers.entries()) {
    try {
      const result = await withOrderNumber(order_number, () => send(order_number))
      if (output.json) output.data(result)
      else output.line(describe(order_number, result))
    } catch (error) {
      if (numbers.length === 1 || !(error instanceof Problem)) throw error
      if (error.exitCode !== exitCodes.refused) {
        output.note(
          `${done} of ${numbers.length} orders were handled. Order ${order_number} and those after it were not.`,
        )
        throw error
      }
      refused++
      reportRefusal(output, error)
    }
  }
  return endOf(output, { all: numbers.length, refused })
}

function reportRefusal(output: Output, error: Problem): void {
  if (output.json && error instanceof RefusedByService) process.stderr.write(`${jsonLine(error.response)}\n`)
  else output.note(`parts: ${error.message}`, 'red')
}

/** Sums up many orders. */
export function endOf(output: Output, { all, refused }: { all: number; refused: number }): ExitCode | void {
  if (all > 1 && !output.json) output.note(`${all - refused} of ${all} orders.`)
  return refused > 0 ? exitCodes.refused : undefined
}
