import Type, { type Static } from 'typebox'
import { contractNotFound, matchesMax } from '../../catalogue/list-items.ts'
import { quantityMax } from '../../input/fields.ts'
import type { RequestedLine } from '../../input/requested-lines.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { arrayLiteral, int4, int8, literal, nullable, numeric, plainJsonOf, text } from 'pg-statements/types.ts'
import { refusalError, errorCodeWords, type RefusalCode } from '../../vocabulary/refusals.ts'
import { orNull, textOrNull, word } from '../../vocabulary/schema-parts.ts'

const NearItem = Type.Object({
  item_id: Type.Integer({ description: 'The item.' }),
  item_vendor_code: Type.String({ description: 'Its article code.' }),
  item_title: Type.String({ description: 'Its title.' }),
  brand_name: Type.String({ description: 'Its brand.' }),
})

const QuotedLine = Type.Object({
  places: Type.Array(Type.Integer(), {
    description: 'The requested lines that it is made of, from 1: those of the same item are one.',
  }),
  item_id: orNull(Type.Integer(), 'The item; null if there is not exactly one.'),
  item_vendor_code: textOrNull('Its article code.'),
  item_title: textOrNull('Its title.'),
  brand_name: textOrNull('Its brand.'),
  quantity: Type.Integer({ description: 'Number of pieces.' }),
  price: orNull(Type.Number(), 'The unit price of this quantity; null if it has none.'),
  net_price: orNull(Type.Number(), "The unit price minus the contract's discount."),
  amount: orNull(Type.Number(), 'The price of all pieces, before the discount.'),
  quantity_min: Type.Integer({ description: 'The smallest quantity of a line.' }),
  quantity_multiple: Type.Integer({ description: 'Quantities must be a multiple of it.' }),
  availability: Type.Array(
    Type.Object({
      stock_id: Type.Integer({ description: 'The stock.' }),
      stock_name: Type.String({ description: 'Its name.' }),
      available: Type.Integer({ description: 'Pieces that can be ordered now, without back-orders.' }),
      back_order: Type.Boolean({ description: 'Whether more than these can be ordered.' }),
      earliest_shipping_date: textOrNull(
        'The first day on which the stock can ship the quantity, `YYYY-MM-DD`, as with `include=promise`.',
      ),
    }),
    { description: 'The stocks that serve the client and carry the item.' },
  ),
  error: orNull(
    Type.Object({
      code: word(errorCodeWords, 'Why.'),
      message: Type.String({ description: 'A sentence that names the value and the rule.' }),
      details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The values, by name.' })),
    }),
    'Why the line cannot be ordered; null if it can.',
  ),
  near: Type.Array(NearItem, {
    description:
      'With an error: what the line may mean, or what can be ordered in its place, best first. Of an article that several brands have, their items.',
  }),
})

export const Quote = Type.Object(
  {
    contract_id: Type.Integer({ description: 'The contract.' }),
    currency_code: Type.String({ description: 'The currency of all amounts.' }),
    lines: Type.Array(QuotedLine, { description: 'The lines, in the order of the request.' }),
    goods: Type.Number({ description: 'The sum of the lines without an error.' }),
    order_discount: Type.Number({ description: 'The discount.' }),
    order_tax: Type.Number({ description: 'The tax, included in the prices or added to them as the contract says.' }),
    order_total: Type.Number({ description: 'The total of the lines without an error.' }),
    contract_limit: orNull(Type.Number(), "The contract's limit; null if it has none."),
    limit_left_after: orNull(
      Type.Number(),
      'How much of the limit would be left; below 0, the order would be refused. Null if it has no limit.',
    ),
  },
  {
    $id: 'Quote',
    description: 'What lines would cost a client now, and whether each could be ordered.',
    examples: [
      {
        contract_id: 1,
        currency_code: 'EUR',
        lines: [
          {
            places: [1],
            item_id: 1024,
            item_vendor_code: 'JF-11024',
            item_title: 'Air filter washable 280 mm, 10 pcs',
            brand_name: 'JetFlow',
            quantity: 4,
            price: 104.17,
            net_price: 104.17,
            amount: 416.68,
            quantity_min: 1,
            quantity_multiple: 1,
            availability: [
              {
                stock_id: 1,
                stock_name: 'Hamburg',
                available: 37,
                back_order: false,
                earliest_shipping_date: '2026-11-20',
              },
            ],
            error: null,
            near: [],
          },
        ],
        goods: 416.68,
        order_discount: 0,
        order_tax: 66.53,
        order_total: 416.68,
        contract_limit: null,
        limit_left_after: null,
      },
    ],
  },
)
export type Quote = Static<typeof Quote>
type QuotedLine = Static<typeof QuotedLine>

/** As the statement answers: the sentence of an error is made here. */
interface JudgedLine extends Omit<QuotedLine, 'error'> {
  readonly error: { readonly code: RefusalCode; readonly details: never } | null
}

const quoteLinesSql = statement(new URL('quote-lines.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contract_id: nullable(int8),
    stock_id: int8,
    item_ids: literal('bigint[]'),
    articles: literal('text[]'),
    brands: literal('text[]'),
    quantities: literal('bigint[]'),
    matches_max: int8,
    quantity_max: int4,
    near_max: int8,
  },
  columns: {
    contract_id: int8,
    currency_code: text,
    lines: plainJsonOf<JudgedLine[]>(),
    goods: numeric,
    order_discount: numeric,
    order_tax: numeric,
    order_total: numeric,
    contract_limit: nullable(numeric),
    limit_left_after: nullable(numeric),
  },
})

const nearMax = 5 // More cannot be compared at a glance.

export interface QuoteRequest {
  readonly client_id: number
  readonly contract_id: number | undefined
  readonly stock_id: number
  readonly lines: readonly RequestedLine[]
}

export async function quoteLines(db: Database, request: QuoteRequest): Promise<Quote> {
  const { client_id, contract_id, stock_id, lines } = request
  const quote = await db.row(quoteLinesSql, {
    client_id,
    contract_id: contract_id ?? null,
    stock_id,
    item_ids: arrayLiteral(lines.map(({ item_id }) => item_id ?? null)),
    articles: arrayLiteral(lines.map(({ article }) => article ?? null)),
    brands: arrayLiteral(lines.map(({ brand }) => brand ?? null)),
    quantities: arrayLiteral(lines.map(({ quantity }) => quantity)),
    matches_max: matchesMax,
    quantity_max: quantityMax,
    near_max: nearMax,
  })
  if (quote === undefined) throw contractNotFound(contract_id)
  return { ...quote, lines: quote.lines.map((line) => ({ ...line, error: line.error && errorOf(line.error) })) }
}

const errorOf = ({ code, details }: NonNullable<JudgedLine['error']>): NonNullable<QuotedLine['error']> => {
  const { message, details: shown } = refusalError(code, details)
  return { code, message, ...(shown && { details: shown }) }
}
