/** The effect of a change of an order's line by an operator: made, or only calculated. */
import Type, { type Static } from 'typebox'
import { orderStateWords } from '../../vocabulary/order-states.ts'
import { orNull, word } from '../../vocabulary/schema-parts.ts'

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
