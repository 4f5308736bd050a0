/** Numbers for people. */

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

/** The largest whole unit: `45 s`, `12 min`, `3 h`, `5 d`. */
export function formatDuration(seconds: number): string {
  const [size, name] = units.find(([unit]) => seconds >= unit) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${name}`
}

/** At least two decimal places; more if the amount has more. Nothing is rounded. */
export function formatMoney(amount: number): string {
  const [whole, digits = ''] = String(amount).split('.')
  return `${whole}.${digits.padEnd(2, '0')}`
}

/** `149.00 EUR`. */
export const formatAmount = (amount: number, currency_code: string): string => `${formatMoney(amount)} ${currency_code}`

export const formatSigned = (text: string): string => (text.startsWith('-') ? text : `+${text}`)

/** `1,830,000`. */
export const formatCount = (amount: number): string => Math.floor(amount).toLocaleString('en-US')

/** `35.2 MB`. */
export function formatBytes(amount: number): string {
  if (amount < 1_000) return `${Math.floor(amount)} B`
  return amount < 1_000_000 ? `${(amount / 1_000).toFixed(1)} kB` : `${(amount / 1_000_000).toFixed(1)} MB`
}
