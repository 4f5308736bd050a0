/**
 * Finds a member name that an object of a JSON text has twice. `JSON.parse` keeps the last of them, where another program
 * that saw the same text may have kept the first.
 */

const quote = 0x22
const comma = 0x2c
const bracket = 0x5b
const backslash = 0x5c
const bracketEnd = 0x5d
const brace = 0x7b
const braceEnd = 0x7d

/** The first repeated name; undefined if there is none. The text must be valid JSON. */
export function repeatedName(json: string): string | undefined {
  /** The names of each object that is open, outermost first; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  let names: Set<string> | undefined
  let isName = false // Whether the next string is the name of a member.
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at)
    if (sign === quote) {
      const end = closingQuote(json, at)
      if (isName && names !== undefined) {
        const text = json.slice(at + 1, end)
        const name = text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
        if (names.has(name)) return name
        names.add(name)
        isName = false
      }
      at = end
    } else if (sign === comma) isName = names !== undefined
    else if (sign === brace || sign === bracket) {
      open.push(names)
      names = sign === brace ? new Set() : undefined
      isName = sign === brace
    } else if (sign === braceEnd || sign === bracketEnd) names = open.pop()
  }
  return undefined
}

function closingQuote(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); ; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at
  }
}
