/** The effect of a change of an order's line by an operator: made, or only calculated. */
import Type, { type Static } from 'typebox'
import { orderStateWords } from './order-states.ts'
import { word } from '../schema-words.ts'
import type { Values } from 'pg-statements/statement.ts'
import { int4, int8, nullable, numeric, text } from 'pg-statements/types.ts'

const orNull = <T extends Type.TSchema>(schema: T, description: string): Type.TUnion<[T, Type.TNull]> =>
  Type.Union([schema, Type.Null()], { description })

export const LineChange = Type.Object(
  {
    dry_run: Type.Boolean({
      description: 'Whether nothing was changed and this is only the effect that it would have.',
    }),
    order_id: Type.Integer({ description: 'The order.' }),
    order_number: Type.Integer({ description: "The distributor's number for the order." }),
    order_item_id: orNull(Type.Integer(), 'The line; null if a new one was not added because of `dry_run`.'),
    item_id: Type.Integer({ description: 'The item.' }),
    item_vendor_code: Type.String({ description: 'Its article code.' }),
    item_title: Type.String({ description: 'Its title.' }),
    order_item_price: Type.Number({ description: 'The unit price of the line.' }),
    quantity_before: Type.Integer({ description: 'The quantity before; 0 for a new line.' }),
    quantity_after: Type.Integer({ description: 'The quantity after; 0 removes the line.' }),
    state_before: word(orderStateWords, 'The state of the order before.'),
    state_after: word(
      orderStateWords,
      'The state after: `canceled` if the last line was removed, `shipped` if nothing is left to ship.',
    ),
    total_before: Type.Number({ description: 'The total of the order before.' }),
    total_after: Type.Number({ description: 'The total of the order after.' }),
    tax_before: Type.Number({ description: 'Its tax before.' }),
    tax_after: Type.Number({ description: 'Its tax after.' }),
    discount_before: Type.Number({ description: 'Its discount before.' }),
    discount_after: Type.Number({ description: 'Its discount after.' }),
    stock_id: Type.Integer({ description: 'The stock of the order.' }),
    available_after: orNull(
      Type.Integer(),
      'How much of the item the stock has free after; null if that does not matter: it takes back-orders, or the order is virtual.',
    ),
    contract_id: Type.Integer({ description: 'The contract of the order.' }),
    limit_left_after: orNull(Type.Number(), 'How much of its limit is left after; null if it has no limit.'),
    closed_adjustment_id: orNull(Type.Integer(), "The client's open request for the line, which this closes."),
  },
  {
    $id: 'LineChange',
    examples: [
      {
        dry_run: false,
        order_id: 5012,
        order_number: 100_234,
        order_item_id: 20_044,
        item_id: 1024,
        item_vendor_code: 'JF-11024',
        item_title: 'Air filter washable 280 mm, 10 pcs',
        order_item_price: 104.17,
        quantity_before: 4,
        quantity_after: 3,
        state_before: 'fulfilling',
        state_after: 'fulfilling',
        total_before: 416.68,
        total_after: 312.51,
        tax_before: 66.53,
        tax_after: 49.9,
        discount_before: 0,
        discount_after: 0,
        stock_id: 1,
        available_after: 17,
        contract_id: 7,
        limit_left_after: 24_687.49,
        closed_adjustment_id: null,
      },
    ],
  },
)
export type LineChange = Static<typeof LineChange>

export const lineChangeColumns = {
  order_id: int8,
  order_number: int8,
  order_item_id: int8,
  item_id: int8,
  item_vendor_code: text,
  item_title: text,
  order_item_price: numeric,
  quantity_before: int4,
  quantity_after: int4,
  state_before: text,
  state_after: text,
  total_before: numeric,
  total_after: numeric,
  tax_before: numeric,
  tax_after: numeric,
  discount_before: numeric,
  discount_after: numeric,
  stock_id: int8,
  available_after: nullable(int8),
  contract_id: int8,
  limit_left_after: nullable(numeric),
  closed_adjustment_id: nullable(int8),
}

type LineChangeRow = Omit<Values<typeof lineChangeColumns>, 'order_item_id'> & { readonly order_item_id: number | null }

export const lineChangeOf = (row: LineChangeRow, dry_run: boolean): LineChange => ({
  dry_run,
  order_id: row.order_id,
  order_number: row.order_number,
  order_item_id: row.order_item_id,
  item_id: row.item_id,
  item_vendor_code: row.item_vendor_code,
  item_title: row.item_title,
  order_item_price: row.order_item_price,
  quantity_before: row.quantity_before,
  quantity_after: row.quantity_after,
  state_before: row.state_before,
  state_after: row.state_after,
  total_before: row.total_before,
  total_after: row.total_after,
  tax_before: row.tax_before,
  tax_after: row.tax_after,
  discount_before: row.discount_before,
  discount_after: row.discount_after,
  stock_id: row.stock_id,
  available_after: row.available_after === null ? null : Math.max(row.available_after, 0), // A count may have found less.
  contract_id: row.contract_id,
  limit_left_after: row.limit_left_after,
  closed_adjustment_id: row.closed_adjustment_id,
})
