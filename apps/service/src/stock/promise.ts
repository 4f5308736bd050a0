/** With `include=promise`: when a stock can ship a quantity. It binds nobody: orders neither read nor change it. */
import Type, { type Static } from 'typebox'
import { integer, optional, quantityMax } from '../input/fields.ts'
import { refer, textOrNull } from '../vocabulary/schema-parts.ts'

export const Arrival = Type.Object(
  {
    date: Type.String({ description: 'The day, `YYYY-MM-DD`.' }),
    quantity: Type.Integer({ description: 'Pieces expected on this day.' }),
  },
  { $id: 'Arrival', examples: [{ date: '2026-11-24', quantity: 200 }] },
)
export type Arrival = Static<typeof Arrival>

export const examplePromise = {
  quantity: 50,
  available: 37,
  arrivals: [{ date: '2026-11-24', quantity: 200 }],
  earliest_shipping_date: '2026-11-25',
}

/** As stock_promise.sql returns it. */
export const Promised = Type.Object(
  {
    quantity: Type.Integer({ description: 'The pieces for which it is calculated.' }),
    available: Type.Integer({ description: 'Pieces that can be ordered now, without back-orders.' }),
    arrivals: Type.Array(refer(Arrival), {
      description: 'What the stock expects, by day, from today on. It covers back-orders and shortages first.',
    }),
    earliest_shipping_date: textOrNull(
      'The first day on which the stock can ship the quantity, as `YYYY-MM-DD`: the lead time of the stock counts its open days from today, from tomorrow once the cut-off time has passed, or from the first arrival with which there are enough. Null if the expected arrivals are not enough.',
    ),
  },
  {
    $id: 'Promised',
    description: 'When a stock can ship a quantity, as far as is known now. Nothing is reserved for it.',
    examples: [examplePromise],
  },
)
export type Promised = Static<typeof Promised>

export const includablePromise = { promise: Type.Optional(refer(Promised)) }

/** A query parameter beside `include=promise`. */
export const promisedQuantity = optional(
  integer({
    min: 1,
    max: quantityMax,
    description: 'With `include=promise`: the pieces for which the shipping day is calculated; 1 if absent.',
    example: 50,
  }),
)
