/** Price breaks: what a piece costs when a line has many of them. */
import Type, { type Static } from 'typebox'
import { includableNetPrice, type NetPrice, netPriceOf } from './net-price.ts'
import { amount, integer, listOf, quantityMax, type Field } from '../../input/fields.ts'
import { arrayLiteral } from 'pg-statements/types.ts'

export const priceMax = 99_999_999_999 // Eleven digits before the point and four after it are exact in JSON and JavaScript.
const breaksMax = 10 // No price list that we know has more steps.

const exampleBreak = { quantity: 10, price: 98.5 }

const members = {
  quantity: Type.Integer({ description: 'From this quantity of a line on.' }),
  price: Type.Number({ description: 'The price of one piece.' }),
}

export const PriceBreak = Type.Object(members, { $id: 'PriceBreak', examples: [exampleBreak] })
export type PriceBreak = Static<typeof PriceBreak>

/** As clients see it. */
export const OfferedBreak = Type.Object(
  { ...members, ...includableNetPrice },
  {
    $id: 'OfferedBreak',
    description: 'From this quantity of a line on, all its pieces have this price.',
    examples: [exampleBreak],
  },
)
export type OfferedBreak = Static<typeof OfferedBreak>

/** As the function `net_breaks` returns it. */
export type NetBreak = PriceBreak & { readonly net_price: number }

export const offeredBreaksOf = (
  breaks: readonly NetBreak[],
  terms: Omit<NetPrice, 'price'>,
  net: boolean,
): OfferedBreak[] =>
  breaks.map(({ quantity, price, net_price }) => ({
    quantity,
    price,
    ...(net && { net: netPriceOf({ ...terms, net_price }) }),
  }))

const quantity = integer({ min: 2, max: quantityMax, description: 'From this quantity of a line on.', example: 10 })
export const price = amount({ max: priceMax, digits: 4, description: 'The price of one piece.', example: 104.17 })

/** A JSON array, or in a spreadsheet `10:98.50 50:92.10`. An empty array, or `none`, removes the breaks. */
export const priceBreaks: Field<PriceBreak[]> = {
  required: true,
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: { quantity: quantity.schema, price: price.schema },
      required: ['quantity', 'price'],
      additionalProperties: false,
    },
    maxItems: breaksMax,
    description:
      'What a piece costs from larger quantities of a line on, with rising quantities. If absent, the breaks stay unchanged; an empty list removes them.',
    examples: [[exampleBreak, { quantity: 50, price: 92.1 }]],
  },
  rule: `at most ${breaksMax} breaks with rising quantities from 2 to ${quantityMax}, each {"quantity", "price"}; in a file also as 10:98.50 50:92.10, or none`,
  read: (raw) => {
    const given = raw.startsWith('[') ? listOf(raw).map(membersOf) : raw === 'none' ? [] : raw.split(/\s+/).map(pairOf)
    const isEmpty = given.length === 0 && !/^(none|\[\s*\])$/.test(raw) // Not a list.
    const breaks = given.flatMap(([from = '', each = '', ...more]) => {
      const one = { quantity: quantity.read(from), price: price.read(each) }
      return one.quantity === undefined || one.price === undefined || more.length > 0
        ? []
        : [{ quantity: one.quantity, price: one.price }]
    })
    const rising = breaks.every((one, at) => at === 0 || one.quantity > (breaks[at - 1]?.quantity ?? 0))
    return !isEmpty && breaks.length === given.length && breaks.length <= breaksMax && rising ? breaks : undefined
  },
}

const pairOf = (text: string): string[] => text.split(':')

/** Quantity, price, and whatever else a member is called. */
function membersOf(given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return []
  const { quantity: from, price: each, ...more } = given as Record<string, unknown>
  const numbers = typeof from === 'number' && typeof each === 'number' ? [String(from), String(each)] : []
  return [...numbers, ...Object.keys(more)]
}

/** As statements take them: null leaves the breaks as they are, and empty arrays remove them. */
export const breakParameters = (
  breaks: readonly PriceBreak[] | undefined,
): { break_quantities: string | null; break_prices: string | null } => ({
  break_quantities: breaks === undefined ? null : arrayLiteral(breaks.map((one) => one.quantity)),
  break_prices: breaks === undefined ? null : arrayLiteral(breaks.map((one) => one.price)),
})
