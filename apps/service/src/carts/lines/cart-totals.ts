/** With `include`: what an order of a cart group would cost, and what would refuse it now. */
import Type, { type Static } from 'typebox'
import { taxModes } from '../../clients/contract-terms.ts'
import { nextQuantityColumns } from '../../catalogue/quantities/quantity-rules.ts'
import { errorCodeWords, type RefusalCode } from '../../vocabulary/refusals.ts'
import { integerOrNull, numberOrNull, refer, textOrNull, word } from '../../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { bool, date, int8, nullable, numeric, text } from 'pg-statements/types.ts'

export const cartIncludes = ['totals', 'net', 'quantity_rules', 'promise'] as const
export type CartInclude = (typeof cartIncludes)[number]

export const exampleAvailability = { available: 37, sufficient: true, refusals: [] }

export const LineAvailability = Type.Object(
  {
    available: integerOrNull(
      'Pieces that can be ordered from the stock now. Null if any quantity can: the stock takes back-orders for the item, or the cart is virtual.',
    ),
    sufficient: Type.Boolean({ description: 'Whether the quantity of the line is available.' }),
    refusals: Type.Array(word(errorCodeWords, 'An error code.'), {
      description:
        'The error codes with which this line would refuse the order now: `item_not_on_sale`, `item_not_priced`, `quantity_not_allowed` or `out_of_stock`. Empty if it would not.',
    }),
  },
  {
    $id: 'LineAvailability',
    description:
      'Whether a line can be ordered now. A cart reserves nothing, so this can change until the order is placed.',
    examples: [exampleAvailability],
  },
)
export type LineAvailability = Static<typeof LineAvailability>

const exampleTotals = {
  currency_code: 'EUR',
  rate: 1,
  goods: 221.04,
  discount: 11.05,
  tax: 33.53,
  shipping: 0,
  total: 209.99,
  tax_mode: 'included',
  tax_percent: 19,
  discount_percent: 5,
  limit_left: 23_778.96,
  limit_sufficient: true,
  earliest_shipping_date: '2026-11-18',
  refusals: [],
}

export const GroupTotals = Type.Object(
  {
    currency_code: Type.String({ description: 'The currency of all amounts, as in ISO 4217.' }),
    rate: Type.Number({ description: 'The `order_rate`: the rate of the currency against the base currency.' }),
    goods: Type.Number({ description: 'The sum of the lines, each rounded to the minor unit of the currency.' }),
    discount: Type.Number({ description: 'The discount on the goods.' }),
    tax: Type.Number({ description: 'The tax, within the total or added to it: see `tax_mode`.' }),
    shipping: Type.Number({ description: 'The cost of shipping.' }),
    total: Type.Number({ description: 'The `order_total` of the order.' }),
    tax_mode: word(taxModes, 'Included in the prices, or added to them.'),
    tax_percent: Type.Number({ description: 'The tax rate.' }),
    discount_percent: Type.Number({ description: 'The discount of the contract.' }),
    limit_left: numberOrNull("What is left of the contract's limit; null if there is no limit."),
    limit_sufficient: Type.Boolean({ description: 'Whether the total is within what is left of the limit.' }),
    earliest_shipping_date: textOrNull(
      'The first day on which the stock can ship, as `YYYY-MM-DD`; null if it is closed for the next two years.',
    ),
    refusals: Type.Array(word(errorCodeWords, 'An error code.'), {
      description:
        'The error codes with which the group would refuse the order now: `client_blocked`, `contract_blocked`, `stock_not_serving`, `contract_limit_exceeded` or `order_total_too_large`. Those of single lines are in their `availability`.',
    }),
  },
  {
    $id: 'GroupTotals',
    description:
      'The totals of an order of this group, under the terms that its `cart_group_key` covers: an order placed with this key has exactly these.',
    examples: [exampleTotals],
  },
)
export type GroupTotals = Static<typeof GroupTotals>

export const includableTotals = { totals: Type.Optional(refer(GroupTotals)) }
export const includableAvailability = { availability: Type.Optional(refer(LineAvailability)) }

export const totalsColumns = {
  currency_code: text,
  rate: numeric,
  goods: numeric,
  discount: numeric,
  tax: numeric,
  shipping: numeric,
  total: numeric,
  tax_mode: text,
  tax_percent: numeric,
  discount_percent: numeric,
  limit_left: nullable(numeric),
  earliest_date: nullable(date),
  stock_serving: bool,
  client_blocked: bool,
  contract_blocked: bool,
  over_limit: bool,
  too_large: bool,
}

/** Of each line. Packed columns cannot be null: -1 stands for any quantity. */
export const availabilityColumns = {
  on_sale: bool,
  priced: bool,
  available: int8,
  ...nextQuantityColumns,
}

export function totalsOf(row: Values<typeof totalsColumns>): GroupTotals {
  const refusals: RefusalCode[] = []
  if (row.client_blocked) refusals.push('client_blocked')
  if (row.contract_blocked) refusals.push('contract_blocked')
  if (!row.stock_serving) refusals.push('stock_not_serving')
  if (row.too_large) refusals.push('order_total_too_large')
  if (row.over_limit) refusals.push('contract_limit_exceeded')
  return {
    currency_code: row.currency_code,
    rate: row.rate,
    goods: row.goods,
    discount: row.discount,
    tax: row.tax,
    shipping: row.shipping,
    total: row.total,
    tax_mode: row.tax_mode,
    tax_percent: row.tax_percent,
    discount_percent: row.discount_percent,
    limit_left: row.limit_left,
    limit_sufficient: !row.over_limit,
    earliest_shipping_date: row.earliest_date,
    refusals,
  }
}

export function availabilityOf(
  row: Values<typeof availabilityColumns> & { readonly quantity: number },
): LineAvailability {
  const available = row.available === -1 ? null : row.available
  const sufficient = available === null || row.quantity <= available
  const refusals: RefusalCode[] = []
  if (!row.on_sale) refusals.push('item_not_on_sale')
  if (!row.priced) refusals.push('item_not_priced')
  if (row.next_quantity !== row.quantity) refusals.push('quantity_not_allowed')
  if (!sufficient) refusals.push('out_of_stock')
  return { available, sufficient, refusals }
}
