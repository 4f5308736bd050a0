const shownMax = 80 // A cart group's key with the largest id has 67 characters.

/** Makes untrusted text safe for an error message or a log line: short, without control or format characters. */
export function printable(raw: string): string {
  const clean = raw.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\u{FFFD}')
  return clean.length > shownMax ? `${clean.slice(0, shownMax).toWellFormed()}…` : clean
}
