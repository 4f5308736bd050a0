/** Rows as a table that fits the terminal, or as lines with tabs if there is no terminal. */
import { clean, widthOf, wrap } from './text.ts'

export interface Column<T> {
  readonly title: string
  readonly of: (row: T) => string | number | null
  /** Aligned to the right, for numbers. */
  readonly right?: boolean
  /** Never wrapped: a number or a word that somebody copies. */
  readonly whole?: boolean
}

const gap = 2

/** No line is wider than `width`, unless the columns at their narrowest are. */
export function layOut<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
): { head: string[]; body: string[] } {
  const titles = columns.map(({ title }) => title)
  const cells = rows.map((row) => columns.map((column) => cell(column, row)))
  const widths = fit(columns, [titles, ...cells], width)
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => pad(text, widths[i] ?? 0, columns[i]?.right === true))
      .join(' '.repeat(gap))
      .trimEnd()
  const linesOf = (texts: readonly string[]): string[] => {
    const wrapped = texts.map((text, i) => wrap(text, widths[i] ?? 0))
    const height = Math.max(...wrapped.map(({ length }) => length))
    return Array.from({ length: height }, (_, n) => line(wrapped.map((lines) => lines[n] ?? '')))
  }
  return { head: linesOf(titles), body: cells.flatMap(linesOf) }
}

/** One line per row with a tab between columns. Nothing is cut, and no value contains a tab. */
export const tabbed = <T>(columns: readonly Column<T>[], row: T): string =>
  columns.map((column) => cell(column, row)).join('\t')

export const tabbedHead = <T>(columns: readonly Column<T>[]): string => columns.map(({ title }) => title).join('\t')

const cell = <T>({ of }: Column<T>, row: T): string => clean(String(of(row) ?? ''))

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return right ? space + text : text + space
}

const wordMax = 16 // A longer word may be cut, so that one of them cannot take the room of all others.

/** Narrows the widest column again and again until the table fits, but no column below its longest word. */
function fit<T>(columns: readonly Column<T>[], lines: readonly string[][], width: number): number[] {
  const widest = (i: number, of: (text: string) => number): number =>
    Math.max(...lines.map((line) => of(line[i] ?? '')))
  const longestWord = (text: string): number => Math.max(...text.split(' ').map(widthOf))
  const widths = columns.map((_, i) => widest(i, widthOf))
  const least = columns.map(({ whole }, i) => (whole === true ? Infinity : Math.min(wordMax, widest(i, longestWord))))
  let excess = widths.reduce((sum, one) => sum + one, gap * (columns.length - 1)) - width
  for (; excess > 0; excess--) {
    const narrowable = widths.map((one, i) => (one > (least[i] ?? 0) ? one : 0))
    const most = Math.max(...narrowable)
    if (most === 0) break
    widths[narrowable.indexOf(most)] = most - 1
  }
  return widths
}
