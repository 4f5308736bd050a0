/** What an operator was shown of the figure that an operation changes. It is checked under the operation's locks. */
import { amount, flag, integer, optional, type Field } from './fields.ts'

export interface Expecting {
  /** The figure that the caller was shown; null or absent if the caller does not say. */
  readonly expected?: number | null | undefined
}

/** Of an operation that has to be confirmed where it is far out of the usual. */
export interface Confirming extends Expecting {
  readonly confirmed?: boolean | undefined
}

const piecesMax = 1_000_000_000 // A stock has no more of an item, and an order has a thousand lines of a million.
const amountMax = 999_999_999_999 // As of totals. A price has four digits behind the point.

/** The field of a figure in pieces. The description names the figure. */
export const expectedPieces = (figure: string, example: number): Field<number | undefined> =>
  optional(integer({ min: 0, max: piecesMax, description: described(figure), example }))

/** The field of an amount. */
export const expectedAmount = (figure: string, example: number): Field<number | undefined> =>
  optional(amount({ max: amountMax, digits: 4, description: described(figure), example }))

const described = (figure: string): string => `${figure}, as you were shown it. If it has changed, nothing is done.`

/** The field that confirms a change. */
export const confirmed = (change: string): Field<boolean | undefined> =>
  optional(flag({ description: `With true, confirms ${change}.`, example: true }))
