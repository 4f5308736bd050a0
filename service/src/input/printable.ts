/** Makes untrusted text safe for an error message or a log line: short, without control or format characters. */
export function printable(raw: string): string {
  const clean = raw.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\u{FFFD}')
  return clean.length > 60 ? `${clean.slice(0, 60).toWellFormed()}…` : clean
}
