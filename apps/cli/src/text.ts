/** Text for a terminal: without control characters, measured in columns, and wrapped. */

// Control characters, invisible formatting such as changes of writing direction, lone surrogates, line separators.
const harmful = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Replaces everything that a terminal would interpret. */
export const clean = (text: string): string => text.replaceAll(harmful, '\u{FFFD}')

/** The same value on one line, with everything that a terminal would interpret escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(harmful, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u

/** The width in columns of a terminal. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of characters.segment(text)) width += columnsOf(segment)
  return width
}

const columnsOf = (character: string): number => (wide.test(character) ? 2 : 1)

/** Lines of at most `width` columns, broken between words where possible. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((one) => pieces(one, width))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Cuts a word that is too long for a line. */
function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word]
  const cut = ['']
  for (const { segment } of characters.segment(word)) {
    const last = cut.at(-1) ?? ''
    if (widthOf(last) + columnsOf(segment) > width && last !== '') cut.push(segment)
    else cut[cut.length - 1] = last + segment
  }
  return cut
}
