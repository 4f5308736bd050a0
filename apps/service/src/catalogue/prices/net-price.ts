/** With `include=net`: what a client pays for a piece, for those who show prices before there is a cart. */
import Type, { type Static } from 'typebox'
import { taxModes } from '../../clients/contract-terms.ts'
import { refer, word } from '../../vocabulary/schema-parts.ts'

export const exampleNetPrice = {
  price: 98.96,
  discount_percent: 5,
  currency_code: 'EUR',
  tax_mode: 'included' as const,
}

export const NetPrice = Type.Object(
  {
    price: Type.Number({
      description:
        'The price of one piece minus the discount, rounded as an order of one piece is. An order rounds the discount of all its goods together, so its total may differ by rounding.',
    }),
    discount_percent: Type.Number({ description: 'The discount of the contract.' }),
    currency_code: Type.String({ description: 'The currency, as in ISO 4217.' }),
    tax_mode: word(taxModes, 'Whether tax is included in the price, or added to it.'),
  },
  { $id: 'NetPrice', description: "A price after the contract's discount.", examples: [exampleNetPrice] },
)
export type NetPrice = Static<typeof NetPrice>

export const includableNetPrice = { net: Type.Optional(refer(NetPrice)) }

export const netPriceOf = (row: Omit<NetPrice, 'price'> & { readonly net_price: number }): NetPrice => ({
  price: row.net_price,
  discount_percent: row.discount_percent,
  currency_code: row.currency_code,
  tax_mode: row.tax_mode,
})
