/** Results go to standard output, everything else to standard error. All text is cleaned of control characters. */
import { styleText } from 'node:util'
import { RefusedRequest, type Problem } from './problem.ts'
import { layOut, tabbed, tabbedHead, type Column } from './table.ts'
import { clean, jsonLine, wrap } from './text.ts'

type Style = Parameters<typeof styleText>[0]

export interface Output {
  /** Whether results are JSON: one value or row per line. */
  readonly json: boolean
  readonly data: (value: unknown) => void
  readonly line: (text: string, style?: Style) => void
  /** Names and values, one pair per line. */
  readonly pairs: (pairs: readonly (readonly [name: string, value: string])[]) => void
  /** Returns the number of rows. */
  readonly table: <T>(columns: readonly Column<T>[], rows: Iterable<T> | AsyncIterable<T>) => Promise<number>
  /** To standard error. */
  readonly note: (text: string, style?: Style) => void
  /** To standard error; a refusal is JSON if results are. */
  readonly problem: (problem: Problem) => void
}

/** A terminal, a pipe or a file. */
export type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

const columnsDefault = 80 // For a terminal that does not report its width.

export function makeOutput(json: boolean, stdout: Stream, stderr: Stream): Output {
  const width = stdout.columns ?? columnsDefault
  const onTerminal = stdout.isTTY === true && !json
  const note = (text: string, style?: Style): void => {
    const lines = text.split('\n').map(clean)
    const { isTTY, columns = columnsDefault } = stderr
    for (const line of isTTY === true ? lines.flatMap((one) => wrap(one, columns)) : lines)
      stderr.write(`${paint(stderr, line, style)}\n`)
  }

  async function lines<T>(columns: readonly Column<T>[], rows: Iterable<T> | AsyncIterable<T>): Promise<number> {
    let count = 0
    for await (const row of rows) {
      if (count++ === 0 && !json) stdout.write(`${tabbedHead(columns)}\n`)
      stdout.write(`${json ? jsonLine(row) : tabbed(columns, row)}\n`)
    }
    return count
  }

  return {
    json,
    data: (value) => void stdout.write(`${jsonLine(value)}\n`),
    line: (text, style) => void stdout.write(`${paint(stdout, clean(text), style)}\n`),
    note,
    problem: (problem) => {
      if (json && problem instanceof RefusedRequest) stderr.write(`${jsonLine(problem.response)}\n`)
      else {
        note(`parts: ${problem.message}`, 'red')
        if (problem.advice !== undefined) note(problem.advice)
      }
    },
    pairs: (pairs) => {
      const margin = Math.max(...pairs.map(([name]) => name.length)) + 2
      for (const [name, value] of pairs) {
        const [first = '', ...others] = onTerminal ? wrap(clean(value), width - margin) : [clean(value)]
        stdout.write(onTerminal ? `${paint(stdout, name.padEnd(margin), 'dim')}${first}\n` : `${name}\t${first}\n`)
        for (const part of others) stdout.write(`${' '.repeat(margin)}${part}\n`)
      }
    },
    table: async (columns, rows) => {
      if (!onTerminal) return lines(columns, rows)
      const all = await Array.fromAsync(rows)
      if (all.length === 0) return 0
      const { head, body } = layOut(columns, all, width)
      for (const line of head) stdout.write(`${paint(stdout, line, 'bold')}\n`)
      for (const line of body) stdout.write(`${line}\n`)
      return all.length
    },
  }
}

/** Colours are for terminals; `styleText` respects NO_COLOR. */
function paint(stream: Stream, text: string, style: Style | undefined): string {
  return style === undefined || stream.isTTY !== true ? text : styleText(style, text, { stream })
}
