export interface SqlStatement {
  readonly text: string
  /** Lower case, in one line, without comments, and with every string literal empty: for recognising what it does. */
  readonly code: string
}

// Comments, literals and quoted names, which may contain semicolons. A function with `begin atomic` is not recognised.
const token =
  /(?<comment>--[^\n]*|\/\*[^]*?\*\/)|(?<literal>\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|(?<tag>\$\w*\$)[^]*?\k<tag>)|"[^"]*"|;|[^;'"$/\-e]+|[^]/gi

/** Splits a file into its statements. */
export function sqlStatements(file: string): SqlStatement[] {
  const statements: SqlStatement[] = []
  let text = ''
  let code = ''
  const end = (): void => {
    const line = code.replaceAll(/\s+/g, ' ').trim()
    if (line !== '') statements.push({ text: text.trim(), code: line })
    text = ''
    code = ''
  }
  for (const { 0: part, groups } of file.matchAll(token)) {
    if (part === ';') {
      end()
      continue
    }
    text += part
    if (groups?.['comment'] !== undefined) code += ' '
    else code += groups?.['literal'] === undefined ? part.toLowerCase() : "''"
  }
  end()
  return statements
}
