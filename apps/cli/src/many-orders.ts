/** Commands that work on one order or on many: numbers separated by commas, or in a file. */
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { RefusedError, type FullOrder } from '@parts-ordering/client/operator'
import { wholeNumber, type Context } from './command.ts'
import { onOrder } from './find-order.ts'
import type { Output } from './output.ts'
import { errorMessage, exitCodes, Problem, RefusedRequest, type ExitCode } from './problem.ts'

export const numbersNote =
  'NUMBERS is an order number, or several separated by commas, or @FILE for a file with one number per line (@- for standard input). Each order is handled on its own: one that is refused does not affect the others, and the exit code is 1.'

/** In the order in which they were given, each once. */
export async function readNumbers(given = ''): Promise<number[]> {
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
  readonly send: (order: FullOrder) => Promise<T>
  /** One line for people. */
  readonly describe: (order_number: number, result: T) => string
}

/** Sends one request after another. A single order that is refused ends the program as any refusal does. */
export async function forEachOrder<T>(
  { api, output, mayBeDone }: Context,
  numbers: readonly number[],
  { send, describe }: Work<T>,
): Promise<ExitCode | void> {
  let refused = 0
  for (const [done, order_number] of numbers.entries()) {
    try {
      const result = await onOrder(api(), order_number, send)
      if (output.json) output.data(result)
      else output.line(describe(order_number, result))
    } catch (error) {
      if (numbers.length === 1) throw error
      const problem = error instanceof RefusedError ? new RefusedRequest(error) : error
      if (!(problem instanceof Problem && problem.exitCode === exitCodes.refused)) {
        const rest = mayBeDone(error) ? 'may have been; those after it were not' : 'and those after it were not'
        output.note(`${done} of ${numbers.length} orders were handled. Order ${order_number} ${rest}.`)
        throw error
      }
      refused++
      output.problem(problem)
    }
  }
  return endOf(output, { all: numbers.length, refused })
}

/** Sums up many orders. */
export function endOf(output: Output, { all, refused }: { all: number; refused: number }): ExitCode | void {
  if (all > 1 && !output.json) output.note(`${all - refused} of ${all} orders.`)
  return refused > 0 ? exitCodes.refused : undefined
}
