/** Rows as a table that fits the terminal, or as lines with tabs where no terminal is. */
import { clean, widthOf, wrap } from './text.ts'

export interface Column<T> {
  readonly title: string
  readonly of: (row: T) => string | number | null
  /** Numbers stand to the right. */
  readonly right?: boolean
  /** Never broken into lines: a number or a word that somebody copies. */
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

/** One line a row with a tab between the columns, nothing cut; text never has a tab in it. */
export const tabbed = <T>(columns: readonly Column<T>[], row: T): string =>
  columns.map((column) => cell(column, row)).join('\t')

export const tabbedHead = <T>(columns: readonly Column<T>[]): string => columns.map(({ title }) => title).join('\t')

const cell = <T>({ of }: Column<T>, row: T): string => clean(String(of(row) ?? ''))

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return right ? space + text : text + space
}

const judged = 200 // Rows by which the widths are chosen; more would take longer than it takes to read them.
const wordMax = 16 // A longer word may be cut, so that one of them cannot take the room of all others.

/** Makes columns narrower, one by one, until the table fits: always the one that costs the fewest lines, or else the widest. */
function fit<T>(columns: readonly Column<T>[], lines: readonly string[][], width: number): number[] {
  const words = columns.map((_, i) => lines.slice(0, judged).map((line) => (line[i] ?? '').split(' ').map(widthOf)))
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => widthOf(line[i] ?? ''))))
  const least = columns.map(({ whole }, i) =>
    whole === true ? Infinity : Math.min(wordMax, Math.max(...(words[i] ?? []).flat())),
  )
  const heightsAt = (i: number, at: number): number[] => (words[i] ?? []).map((of) => heightOf(of, at))
  let heights = widths.map((at, i) => heightsAt(i, at))
  for (let tooMuch = sum(widths) + gap * (columns.length - 1) - width; tooMuch > 0; tooMuch--) {
    const choices = columns.keys().flatMap((i) => {
      const at = (widths[i] ?? 0) - 1
      if (at < (least[i] ?? 0)) return []
      const narrower = heights.with(i, heightsAt(i, at))
      return [
        {
          i,
          at,
          narrower,
          cost: sum(narrower[0]?.map((_, row) => Math.max(...narrower.map((of) => of[row] ?? 1))) ?? []),
        },
      ]
    })
    const [best] = [...choices].toSorted((a, b) => a.cost - b.cost || b.at - a.at)
    if (best === undefined) break
    widths[best.i] = best.at
    heights = best.narrower
  }
  return widths
}

/** How many lines words of these widths take, as `wrap` breaks them. */
function heightOf(words: readonly number[], width: number): number {
  let [height, used] = [1, 0]
  for (const word of words) {
    if (used === 0) used = word
    else if (used + 1 + word <= width) used += 1 + word
    else [height, used] = [height + 1, word]
    for (; used > width; used -= width) height++
  }
  return height
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
