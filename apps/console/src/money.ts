/**
 * Sums that only the screen shows. Amounts come as decimal numbers of at most 15 digits, of which 4 are after the point in
 * prices and 3 in totals. Multiplied by 10,000 or 1,000 and rounded, each is the exact whole number below 2^51, since the
 * error of a double is then below a half. All else is arithmetic of whole numbers.
 */
const inParts = (amount: number, parts: number): bigint => BigInt(Math.round(amount * parts))

/** Price times quantity, rounded half up to cents as the service rounds a line. */
export const lineAmount = (line: { readonly order_item_price: number; readonly order_item_quantity: number }): number =>
  Number((inParts(line.order_item_price, 10_000) * BigInt(line.order_item_quantity) + 50n) / 100n) / 100

export const sumOf = (amounts: readonly number[]): number =>
  Number(amounts.reduce((sum, amount) => sum + inParts(amount, 1_000), 0n)) / 1_000
