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

/** Starts with the longest word of each column, and widens the column with the tallest cells until all room is used. */
function fit<T>(columns: readonly Column<T>[], lines: readonly string[][], width: number): number[] {
  const sizes = columns.map(({ whole }, i) => {
    const texts = lines.map((line) => line[i] ?? '')
    const natural = Math.max(...texts.map(widthOf))
    const longestWord = Math.max(...texts.flatMap((text) => text.split(' ').map(widthOf)))
    return { natural, width: whole === true ? natural : Math.min(longestWord, wordMax) }
  })
  const height = (size: { natural: number; width: number }): number => Math.ceil(size.natural / size.width)
  let room = width - sizes.reduce((sum, size) => sum + size.width, gap * (columns.length - 1))
  for (; room > 0; room--) {
    const [tallest] = sizes
      .filter((size) => size.width < size.natural)
      .toSorted((a, b) => height(b) - height(a) || a.natural - b.natural)
    if (tallest === undefined) break
    tallest.width++
  }
  return sizes.map((size) => size.width)
}
