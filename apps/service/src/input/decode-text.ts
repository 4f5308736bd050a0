/** Decodes text as spreadsheets save it: UTF-8 and UTF-16 with a byte order mark, or the encoding that is named. */

/** The text, or the reason why it cannot be read. */
export function decodeText(bytes: Uint8Array, charset: string | undefined): { text: string } | { reason: string } {
  const encoding = markedEncoding(bytes) ?? charset ?? 'utf-8'
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    return { reason: error instanceof RangeError ? unknownCharset(encoding) : wrongCharset(encoding) }
  }
  return text.includes('\0') ? { reason: `the body has NUL characters, as UTF-16 does ${whatToDo}` } : { text }
}

/** A byte order mark says more than the header, which programs often send unchanged. */
function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb ? 'utf-8' : undefined
}

const whatToDo = `(save the file as "CSV UTF-8", or name its encoding in the Content-Type, as in text/csv; charset=windows-1252)`

const unknownCharset = (charset: string): string => `the charset '${charset}' is unknown ${whatToDo}`
const wrongCharset = (encoding: string): string => `the body is not ${encoding.toUpperCase()} ${whatToDo}`
